// Package slacksim is a strict local Slack: its Web API, Socket Mode, signed
// HTTP delivery, and people who use it.
//
// It is an independent judge. It works on raw JSON, shares no code with the
// packages that talk to Slack, and refuses what Slack refuses (package
// slackrules holds the Block Kit part). Where Slack's documents are silent it
// takes the stricter reading; what the app did to meet a generic error of a
// client is kept in [Sim.Troubles].
//
// A [Person] acts on what is visible: labels, button texts, field labels. Tests
// therefore say what a user does and sees, never how the app names things.
//
// One mutex guards the whole state, and no I/O happens under it. Every change
// wakes [Sim.Wait], so that nobody has to poll or sleep. Trigger ids, rate
// limits, response_urls and message timestamps follow the injected clock; only
// acknowledgement deadlines, pings and retries run on real timers.
package slacksim
