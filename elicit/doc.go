// Package elicit holds the nouns that every other package of slackbridge
// speaks in: origins, calls, questions, decisions and the ids that join them.
//
// It is a leaf. It imports nothing of ours and does no work: no I/O, no clock,
// no randomness, no parsing. What it adds to plain structs is only what keeps
// two packages from disagreeing about the meaning of a word.
package elicit
