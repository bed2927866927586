//go:build race

package mcpclient

// raceEnabled: the race detector makes everything slow, so tests of many do
// fewer with it.
const raceEnabled = true
