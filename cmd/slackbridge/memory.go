package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Questions wait for people: a bot that has asked many at once then does next
// to nothing for minutes or days. Go's collector runs when memory is asked for,
// so it would keep the reserve of the busy minute, and the stacks as deep as
// they were, all that time.
const (
	memoryLook    = time.Second
	memoryReserve = 32 << 20 // bytes that are not worth the work
)

// memoryUse is what the runtime says of the memory of this process, in bytes.
type memoryUse struct {
	live      uint64 // heap that was in use when it was last collected
	reserve   uint64 // heap that is held for more, and garbage
	stacks    uint64
	allocated uint64 // since the start
}

// worthReturning reports whether enough memory lies idle, in a process that has
// been quiet since before, for a collection to pay.
func (now memoryUse) worthReturning(before memoryUse) bool {
	return now.quiet(before) && now.reserve > max(memoryReserve, (now.live+now.stacks)/4)
}

// quiet reports whether the reserve was hardly used since before.
func (now memoryUse) quiet(before memoryUse) bool {
	return now.allocated-before.allocated <= now.live/4+memoryReserve/4
}

func readMemory() memoryUse {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(samples)
	v := make([]uint64, len(samples))
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			v[i] = s.Value.Uint64()
		}
	}
	use := memoryUse{live: v[0], reserve: v[2], stacks: v[3], allocated: v[4]}
	if objects := v[1]; objects > use.live { // garbage, for the most part
		use.reserve += objects - use.live
	}
	return use
}

// returnMemory gives idle memory back to the system until ctx ends.
func returnMemory(ctx context.Context) {
	tick := time.NewTicker(memoryLook)
	defer tick.Stop()
	before, shrinking := readMemory(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := readMemory()
		if now.worthReturning(before) || shrinking && now.quiet(before) {
			debug.FreeOSMemory() // collects first, and halves the stacks that are too deep
			after := readMemory()
			shrinking = after.stacks < now.stacks-now.stacks/8
			now = after
		}
		before = now
	}
}
