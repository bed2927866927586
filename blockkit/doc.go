// Package blockkit turns questions into what Slack shows, and what Slack sends
// back into answers: requestedSchema → message and modal, view state → content
// or field errors.
//
// It is pure. It uses slack-go for its types only and has no client, no clock
// and no log; the same input always gives the same bytes, on every replica.
//
// What it keeps:
//   - Nothing it draws breaks a rule of Slack. What cannot be drawn is refused
//     by Parse, before anybody is asked.
//   - Content that it returns for an accept is valid under requestedSchema,
//     holds the exact JSON values of the schema, and lists its members in the
//     order in which the server listed them.
//   - The words of a server are dead: they ping nobody, link nowhere, carry no
//     style, and hide nothing (see shown in hygiene.go).
//   - Ids in what it draws are positions; server text is never one. What comes
//     back is matched by position against the schema, never by its text.
//
// Who may answer, and until when, is not known here.
package blockkit
