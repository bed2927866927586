// Package chaos is the fault suite: replicas of the real binary, a real Redis
// and MCP servers that outlive them, hundreds of questions, and faults from a
// seed. It has tests only.
//
// What it judges by is not ours to write: the messages that the MCP servers
// received and sent, byte for byte, and what people see in the simulated Slack.
// The logs of the replicas are printed beside a finding and prove nothing.
package chaos
