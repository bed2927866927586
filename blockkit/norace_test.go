//go:build !race

package blockkit_test

const underRace = false
