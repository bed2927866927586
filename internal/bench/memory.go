package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

// steps are the numbers of pending questions at which is measured, up to the
// one that is held to a limit.
func steps(most int) []int {
	var out []int
	for _, n := range []int{1000, 10_000, 50_000} {
		if n < most {
			out = append(out, n)
		}
	}
	return append(out, most)
}

// memory measures what pending questions cost while they wait.
func memory(ctx context.Context, b *bench) error {
	t := table{
		title: "What a pending question costs as their number grows. Memory of the bot is resident memory over that of the same process when it has worked and nothing is pending, divided by the number of questions; so is that of Redis. Alive is what the last collection of garbage left, the bot's own 5 MiB or so included.",
		head:  []string{"era", "pending", "bot, each", "of that alive", "bot, in all", "Redis, each", "CPU while they wait", "CPU to ask, each", "button → `views.open`: p50, p99"},
	}
	s := b.o.sizes
	blocking := s.blocking
	if most := int(files()) - 1000; blocking > most { // each holds a connection
		b.note("This system allows %d open files, so only %d questions of the blocking era were asked.", files(), most)
		blocking = most
	}
	for _, m := range []struct {
		era, what string
		most      int
		limit     int64
	}{
		{eraBlocking, "memory per pending question, blocking era over HTTP, at %d", blocking, 48 << 10},
		{eraStanding, "memory per pending question, blocking era over HTTP with a standing GET stream besides, at %d", s.standing, 0},
		{eraDurable, "memory per pending question, durable era, at %d", s.durable, 1 << 10},
	} {
		lines, each, err := b.memoryOf(ctx, m.era, steps(m.most))
		if err != nil {
			return fmt.Errorf("%s era: %w", m.era, err)
		}
		t.lines = append(t.lines, lines...)
		if what := fmt.Sprintf(m.what, m.most); m.limit == 0 {
			b.tell(what, size(each))
		} else {
			b.hold(what, size(m.limit), size(each), max(float64(each)/float64(m.limit), 0.01))
		}
	}
	b.tables = append(b.tables, t)
	return nil
}

func (b *bench) memoryOf(ctx context.Context, era string, steps []int) (lines [][]string, each int64, err error) {
	w, err := b.world(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer w.close()
	bot, err := w.bot(ctx, "bot", "GODEBUG=gctrace=1")
	if err != nil {
		return nil, 0, err
	}
	// A process that has never worked has not even loaded all of its code.
	if _, err := w.each(ctx, b.o.sizes.warm, decisionsAtOnce, func(ctx context.Context, _ int) (*question, error) { return w.decideFully(ctx, bot, era) }); err != nil {
		return nil, 0, err
	}
	idle, err := bot.settle(ctx, w, b.o.sizes.calm)
	if err != nil {
		return nil, 0, err
	}
	empty, err := w.redis.used(ctx)
	if err != nil {
		return nil, 0, err
	}
	have := 0
	var qs []*question
	for _, n := range steps {
		b.say("memory: %d pending, %s", n, era)
		before, err := bot.cpu()
		if err != nil {
			return nil, 0, err
		}
		more, err := w.ask(ctx, bot, era, n-have)
		if err != nil {
			return nil, 0, err
		}
		after, err := bot.cpu()
		if err != nil {
			return nil, 0, err
		}
		asked := (after - before) / time.Duration(n-have)
		qs, have = append(qs, more...), n
		rss, err := bot.settle(ctx, w, b.o.sizes.calm)
		if err != nil {
			return nil, 0, err
		}
		used, err := w.redis.used(ctx)
		if err != nil {
			return nil, 0, err
		}
		waiting, err := b.waiting(ctx, bot)
		if err != nil {
			return nil, 0, err
		}
		some := qs[max(0, len(qs)-40):]
		if _, err := b.clickAll(ctx, w, bot, some, len(some)); err != nil { // their people become known
			return nil, 0, err
		}
		clicks, err := b.clickAll(ctx, w, bot, some, min(200, b.o.sizes.clicks))
		if err != nil {
			return nil, 0, err
		}
		each = (rss - idle) / int64(n)
		lines = append(lines, []string{
			era, fmt.Sprint(n), size(each), bot.alive(n), size(rss), size((used - empty) / int64(n)),
			fmt.Sprintf("%.1f %% of a core", 100*waiting), short(asked), short(clicks.quantile(0.5)) + ", " + short(clicks.quantile(0.99)),
		})
	}
	b.heap(ctx, bot, "memory-"+era)
	return lines, each, nil
}

var collected = regexp.MustCompile(`->(\d+) MB, \d+ MB goal, (\d+) MB stacks`)

// alive is the heap in use and the stacks when the bot last collected its
// garbage, for each of n questions. The runtime says so in its log. What is
// resident besides is the collector's reserve (GOGC).
func (b *bot) alive(n int) string {
	log, err := os.ReadFile(b.log)
	if err != nil {
		return "unknown"
	}
	all := collected.FindAllSubmatch(log, -1)
	if len(all) == 0 {
		return "unknown"
	}
	last := all[len(all)-1]
	heap, err1 := strconv.Atoi(string(last[1]))
	stacks, err2 := strconv.Atoi(string(last[2]))
	if err1 != nil || err2 != nil {
		return "unknown"
	}
	return fmt.Sprintf("heap %s, stacks %s", size(int64(heap)<<20/int64(n)), size(int64(stacks)<<20/int64(n)))
}

// waiting is how much of a core the bot uses while nothing happens.
func (b *bench) waiting(ctx context.Context, bot *bot) (float64, error) {
	watch := b.o.sizes.watch
	before, err := bot.cpu()
	if err != nil {
		return 0, err
	}
	if err := sleep(ctx, watch); err != nil {
		return 0, err
	}
	after, err := bot.cpu()
	return (after - before).Seconds() / watch.Seconds(), err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Settling: how large the requests are that let a Go process find out that it
// has garbage, how long that may
// take, and how long its memory may go on shrinking.
const (
	stirBody = 1 << 20
	stirMost = 10 * time.Second
	calmMost = 30 * time.Second
)

// settle lets the garbage of what happened before be collected and its memory
// be given back, and returns what the process holds then. A Go process that
// does nothing would collect after two minutes only, so it is given large
// requests without a signature to refuse, as many as its memory is large. More
// of them would fill what the collector keeps in reserve.
func (b *bot) settle(ctx context.Context, w *world, calm time.Duration) (int64, error) {
	w.client.CloseIdleConnections() // Slack would not hold hundreds
	rss, err := b.resident()
	if err != nil {
		return 0, err
	}
	body := bytes.Repeat([]byte("x"), stirBody)
	stirred := time.Now()
	for range rss/(2*stirBody) + 4 {
		if time.Since(stirred) > stirMost {
			break
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/slack/events", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		resp, err := w.client.Do(req)
		if err != nil {
			return 0, err
		}
		if err := resp.Body.Close(); err != nil {
			return 0, err
		}
	}
	w.client.CloseIdleConnections()
	least, since, began := rss, time.Now(), time.Now()
	for time.Since(since) < calm && time.Since(began) < calmMost {
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
		now, err := b.resident()
		if err != nil {
			return 0, err
		}
		if now < least-least/200 {
			least, since = now, time.Now()
		}
		rss = now
	}
	return rss, nil
}

// idle measures a bot that has done nothing yet.
func idle(ctx context.Context, b *bench) error {
	w, err := b.world(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	bot, err := w.bot(ctx, "bot")
	if err != nil {
		return err
	}
	b.say("idle")
	if err := sleep(ctx, b.o.sizes.calm); err != nil {
		return err
	}
	rss, err := bot.resident()
	if err != nil {
		return err
	}
	busy, err := b.waiting(ctx, bot)
	if err != nil {
		return err
	}
	const limit = 40 << 20
	b.hold("resident memory at idle", size(limit), size(rss), float64(rss)/limit)
	b.tell("CPU at idle", fmt.Sprintf("%.1f %% of a core", 100*busy))
	return nil
}
