// Package mcpclient is the MCP host of slackbridge: it reads the servers file,
// connects to the servers, runs their tools for Slack users and takes the
// questions (elicitations) that servers ask meanwhile.
//
// What it keeps true:
//
//   - A connection belongs to one user for life and carries one call at a
//     time, so that a question can be meant for one call only.
//   - A question is handed over once and gets exactly one response, unless the
//     server took it back or its connection is gone; then nothing is sent.
//   - Params of questions, JSON-RPC ids, arguments, answers and requestState
//     pass unchanged: they are never decoded and encoded again.
//   - A child process sees PATH, HOME, LANG, TMPDIR and what its own `env`
//     names, and nothing else of our environment.
//
// mcp-go negotiates the protocol revision and supplies the protocol's types
// and headers. The two transports are ours (docs/decisions/0003). The package
// knows nothing of Slack, Redis or policy.
package mcpclient
