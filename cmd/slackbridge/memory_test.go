package main

import "testing"

func TestMemory_IsReturnedWhenTheProcessIsQuietAndHoldsMuch(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name        string
		before, now memoryUse
		want        bool
	}{
		{"small and quiet", memoryUse{allocated: 0}, memoryUse{live: 10 * mb, reserve: 20 * mb, allocated: mb}, false},
		{"much in reserve, quiet", memoryUse{allocated: 900 * mb}, memoryUse{live: 100 * mb, stacks: 50 * mb, reserve: 200 * mb, allocated: 905 * mb}, true},
		{"much in reserve, busy", memoryUse{allocated: 900 * mb}, memoryUse{live: 100 * mb, reserve: 200 * mb, allocated: 1200 * mb}, false},
		{"what is in use outweighs it", memoryUse{allocated: 900 * mb}, memoryUse{live: 1000 * mb, reserve: 100 * mb, allocated: 901 * mb}, false},
	} {
		if got := c.now.worthReturning(c.before); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMemory_RuntimeKnowsTheNumbers(t *testing.T) {
	use := readMemory()
	if use.allocated == 0 || use.stacks == 0 {
		t.Errorf("the runtime says %+v", use)
	}
}
