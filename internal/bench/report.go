package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is what was measured.
type report struct {
	machine []string
	date    time.Time
	took    time.Duration
	rows    []row
	tables  []table
	notes   []string
}

// row is a line of the table. A row without a limit only tells.
type row struct {
	what, target, measured string
	excess                 float64 // measured ÷ limit; 0: there is none
}

// table stands below the main one.
type table struct {
	title string
	head  []string
	lines [][]string
}

func (r *report) tell(what, measured string) {
	r.rows = append(r.rows, row{what: what, target: "–", measured: measured})
}

func (r *report) hold(what, target, measured string, excess float64) {
	r.rows = append(r.rows, row{what, target, measured, excess})
}

func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r row) verdict() string {
	switch {
	case r.excess == 0:
		return ""
	case r.excess <= 1:
		return "reached"
	default:
		return fmt.Sprintf("not reached (%.1f×)", r.excess)
	}
}

func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "Measured on %s in %.0f s.\n\n", r.date.Format("2006-01-02"), r.took.Seconds())
	for _, m := range r.machine {
		fmt.Fprintf(w, "- %s\n", m)
	}
	main := table{head: []string{"what", "target", "measured", "verdict"}}
	for _, l := range r.rows {
		main.lines = append(main.lines, []string{l.what, l.target, l.measured, l.verdict()})
	}
	for _, t := range append([]table{main}, r.tables...) {
		t.write(w)
	}
	if len(r.notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range r.notes {
		fmt.Fprintf(w, "- %s\n", n)
	}
}

func (t table) write(w io.Writer) {
	fmt.Fprintln(w)
	if t.title != "" {
		fmt.Fprintf(w, "%s\n\n", t.title)
	}
	all := append([][]string{t.head}, t.lines...)
	width := make([]int, len(t.head))
	for _, l := range all {
		for i, c := range l {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	rule := make([]string, len(width))
	for i := range width {
		rule[i] = strings.Repeat("-", width[i])
	}
	for _, l := range slices.Insert(all, 1, rule) {
		for i, c := range l {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-len([]rune(c))))
		}
		fmt.Fprintln(w, "|")
	}
}

const (
	beginMark = "<!-- bench: begin -->\n"
	endMark   = "<!-- bench: end -->"
)

// writeInto replaces what stands between the markers of a file.
func (r *report) writeInto(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := bytes.Cut(old, []byte(beginMark))
	_, tail, closed := bytes.Cut(rest, []byte(endMark))
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the table: it needs the lines %q and %q", path, strings.TrimSpace(beginMark), endMark)
	}
	var out bytes.Buffer
	out.Write(head)
	out.WriteString(beginMark + "\n")
	r.write(&out)
	out.WriteString("\n" + endMark)
	out.Write(tail)
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// samples are durations of the same thing, many times.
type samples []time.Duration

// quantile returns the sample that the fraction q of all does not exceed.
func (s samples) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s samples) String() string {
	out := fmt.Sprintf("p50 %s, p99 %s", short(s.quantile(0.5)), short(s.quantile(0.99)))
	if len(s) >= 1000 {
		out += ", p99.9 " + short(s.quantile(0.999))
	}
	return fmt.Sprintf("%s (n = %d)", out, len(s))
}

// short is a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

// size is a number of bytes in words.
func size(n int64) string {
	if abs := max(n, -n); abs < 1<<20 {
		return fmt.Sprintf("%.2f KiB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// aboutMachine says on what the numbers were measured.
func aboutMachine(ctx context.Context) []string {
	out := []string{fmt.Sprintf("%s, %d cores, %s of memory", field("/proc/cpuinfo", "model name"), runtime.NumCPU(), field("/proc/meminfo", "MemTotal"))}
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err == nil {
		out = append(out, "Linux "+strings.TrimSpace(string(kernel)))
	}
	redis, err := exec.CommandContext(ctx, "redis-server", "--version").Output()
	if err == nil {
		out = append(out, strings.Join(strings.Fields(string(redis))[:3], " ")+" on the same machine, without persistence")
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		out = append(out, "load average before the run: "+strings.Join(strings.Fields(string(load))[:3], ", "))
	}
	return append(out, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
}

// field returns a value of a file of names and values.
func field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}
