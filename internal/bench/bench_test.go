package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMeasure_EveryRowYieldsANumber runs all groups at small sizes. It knows
// no limit: a test must not depend on how fast the machine is.
func TestMeasure_EveryRowYieldsANumber(t *testing.T) {
	bin, err := build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct{ rows, tables int }{
		"latency": {rows: 10}, "ack": {rows: 1}, "cpu": {rows: 2}, "memory": {rows: 3, tables: 1}, "idle": {rows: 2},
		"modal": {rows: 2}, "demo": {rows: 1}, "throughput": {tables: 1},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			rep, err := measure(t.Context(), options{sizes: quickSizes(), groups: []string{g.name}, bin: bin})
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.rows) != want[g.name].rows || len(rep.tables) != want[g.name].tables {
				t.Errorf("%d rows and %d tables, want %d and %d", len(rep.rows), len(rep.tables), want[g.name].rows, want[g.name].tables)
			}
			for _, r := range rep.rows {
				if !strings.ContainsAny(r.measured, "123456789") && !strings.Contains(r.measured, "0.0 %") {
					t.Errorf("%s: measured %q, want a number", r.what, r.measured)
				}
				if r.target != "–" && r.excess == 0 {
					t.Errorf("%s: has the target %s, but no verdict", r.what, r.target)
				}
			}
			for _, table := range rep.tables {
				if len(table.lines) < 2 {
					t.Errorf("the table %q has %d lines", table.title, len(table.lines))
				}
			}
		})
	}
}

func TestMeasure_EndsWhenItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := measure(ctx, options{sizes: fullSizes(), groups: []string{"idle"}, bin: "/bin/false"}); err == nil {
		t.Error("a run that was interrupted ended without an error")
	}
}

func TestReport_TakesThePlaceBetweenTheMarkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(path, []byte("before\n"+beginMark+"old\n"+endMark+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rep := &report{machine: []string{"a machine"}}
	rep.hold("what", "1 s", "2 s", 2)
	if err := rep.writeInto(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(got, []byte("old")) || !bytes.HasPrefix(got, []byte("before\n")) || !bytes.HasSuffix(got, []byte("after\n")) || !bytes.Contains(got, []byte("not reached (2.0×)")) {
		t.Errorf("the file reads:\n%s", got)
	}
}

func TestQuantile_IsASampleThatWasSeen(t *testing.T) {
	var s samples
	for i := range 1000 {
		s = append(s, time.Duration(1000-i))
	}
	for q, want := range map[float64]time.Duration{0.5: 501, 0.99: 991, 0.999: 1000, 1: 1000} {
		if got := s.quantile(q); got != want {
			t.Errorf("quantile %v: %d, want %d", q, got, want)
		}
	}
}
