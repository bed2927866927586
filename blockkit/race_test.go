//go:build race

package blockkit_test

// underRace: the detector makes everything several times slower.
const underRace = true
