// Command bench measures what slackbridge is held to (docs/performance.md)
// and prints a table of target, measurement and verdict.
//
// The bot runs as processes of its own, the real binary with a real Redis, so
// that its CPU time and memory are its alone. This program plays everybody
// else: Slack (a light fake that notes when each call arrives, and signed HTTP
// deliveries) and the MCP servers of both eras. Nothing in the bot knows that
// it is measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	o.sizes = fullSizes()
	quick := flag.Bool("quick", false, "small sizes: shows that everything works, measures nothing of worth")
	rows := flag.String("rows", "", "comma list of the groups to run: "+strings.Join(groupNames(), ",")+"; empty: all")
	doc := flag.String("doc", "", "`file` whose part between the bench markers is replaced by the table")
	flag.StringVar(&o.bin, "bin", "", "the slackbridge `binary`; empty: it is built")
	flag.StringVar(&o.profiles, "profiles", "", "`folder` for CPU and heap profiles of the bot, which is built with the profile tag then")
	flag.IntVar(&o.sizes.blocking, "blocking", o.sizes.blocking, "pending questions of the blocking era in the memory row")
	flag.IntVar(&o.sizes.durable, "durable", o.sizes.durable, "pending questions of the durable era in the memory row")
	flag.Parse()
	if *quick {
		o.sizes = quickSizes()
	}
	if *rows != "" {
		o.groups = strings.Split(*rows, ",")
	}
	o.progress = os.Stderr
	rep, err := measure(ctx, o)
	if rep != nil {
		rep.write(os.Stdout)
	}
	if err == nil && *doc != "" {
		err = rep.writeInto(*doc)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

// options say what to measure.
type options struct {
	sizes    sizes
	groups   []string // empty: all
	bin      string   // empty: built
	profiles string
	progress io.Writer
}

// sizes are the numbers of samples and of pending questions.
type sizes struct {
	floor      int // samples of each round trip
	pending    int // questions that wait while clicks are measured
	clicks     int
	answers    int // submissions for each of the three submit rows
	pause      time.Duration
	rate       int // interactions a second
	ack        time.Duration
	decisions  int // full decisions whose CPU time is counted
	throughput int // decisions for each number of replicas
	replicas   []int
	blocking   int
	standing   int // blocking questions whose connections have a GET stream, too
	durable    int
	modals     int
	rest       time.Duration // lets what follows a question come to its end
	calm       time.Duration // how long memory must not have shrunk
	watch      time.Duration // how long a bot is watched that waits
	warm       int           // full decisions before memory is compared
	starts     int           // of the demo
}

func fullSizes() sizes {
	return sizes{
		floor: 2000, pending: 1000, clicks: 2000, answers: 2000, pause: 3 * time.Millisecond, rate: 500, ack: 12 * time.Second,
		decisions: 2000, throughput: 2000, replicas: []int{1, 2, 4}, blocking: 10_000, standing: 1000, durable: 50_000, modals: 2000, starts: 5,
		rest: time.Second, calm: 3 * time.Second, watch: 2 * time.Second, warm: 300,
	}
}

func quickSizes() sizes {
	return sizes{
		floor: 50, pending: 20, clicks: 40, answers: 20, pause: time.Millisecond, rate: 50, ack: time.Second,
		decisions: 20, throughput: 20, replicas: []int{1, 2}, blocking: 30, standing: 10, durable: 40, modals: 20, starts: 1,
		rest: 50 * time.Millisecond, calm: 300 * time.Millisecond, watch: 200 * time.Millisecond,
	}
}

// group is a set of rows that are measured together.
type group struct {
	name string
	run  func(context.Context, *bench) error
}

// groups are in the order of the table.
var groups = []group{
	{"latency", latency}, {"ack", acks}, {"cpu", cpu}, {"memory", memory}, {"idle", idle},
	{"modal", modals}, {"demo", demoStart}, {"throughput", throughput},
}

func groupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return names
}

// bench is one run.
type bench struct {
	o     options
	bin   string
	dir   string // everything that is written goes here, and goes away with it
	began time.Time
	*report
}

// measure runs the groups. The report holds what was measured, also when some
// groups failed.
func measure(ctx context.Context, o options) (_ *report, err error) {
	for _, name := range o.groups {
		if !slices.Contains(groupNames(), name) {
			return nil, fmt.Errorf("there is no group %q; there are %s", name, strings.Join(groupNames(), ", "))
		}
	}
	dir, err := os.MkdirTemp("", "slackbridge-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{o: o, bin: o.bin, dir: dir, began: time.Now(), report: &report{machine: aboutMachine(ctx), date: time.Now()}}
	if b.bin == "" {
		b.say("building slackbridge")
		if b.bin, err = build(ctx, dir, o.profiles != ""); err != nil {
			return nil, err
		}
	}
	var errs []error
	for _, g := range groups {
		if len(o.groups) > 0 && !slices.Contains(o.groups, g.name) || ctx.Err() != nil {
			continue
		}
		if err := g.run(ctx, b); err != nil { // the others may still be of worth
			b.say("%s failed: %v", g.name, err)
			errs = append(errs, fmt.Errorf("%s: %w", g.name, err))
		}
	}
	b.took = time.Since(b.began)
	return b.report, errors.Join(append(errs, context.Cause(ctx))...)
}

// say tells whoever waits what goes on.
func (b *bench) say(format string, args ...any) {
	if b.o.progress != nil {
		fmt.Fprintf(b.o.progress, "%5.0fs %s\n", time.Since(b.began).Seconds(), fmt.Sprintf(format, args...))
	}
}
