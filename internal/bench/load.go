package main

import (
	"context"
	"fmt"
	"time"
)

// cpu counts the processor time of full decisions: call, question, click,
// submission, answer, result, and the cards and headings that are drawn.
func cpu(ctx context.Context, b *bench) error {
	for _, era := range []string{eraBlocking, eraDurable} {
		spent, rss, err := b.cpuOf(ctx, era)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("CPU of the bot per 1,000 full decisions, %s era (n = %d)", era, b.o.sizes.decisions)
		b.hold(what, "2 s", short(spent), spent.Seconds()/2)
		b.note("After %d decisions of the %s era the bot held %s.", b.o.sizes.decisions, era, size(rss))
	}
	return nil
}

// decisionsAtOnce is how many decisions are under way at a time. Each takes
// three seconds, since it posts three messages into its channel.
const decisionsAtOnce = 600

func (b *bench) cpuOf(ctx context.Context, era string) (per1000 time.Duration, rss int64, err error) {
	w, err := b.world(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer w.close()
	bot, err := w.bot(ctx, "bot")
	if err != nil {
		return 0, 0, err
	}
	n := b.o.sizes.decisions
	b.say("cpu: %d decisions, %s", n, era)
	profile := b.profile(ctx, bot, "cpu-"+era)
	before, err := bot.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	_, err = w.each(ctx, n, decisionsAtOnce, func(ctx context.Context, _ int) (*question, error) { return w.decideFully(ctx, bot, era) })
	if err != nil {
		return 0, 0, err
	}
	if err := w.drawn(ctx, 2*n); err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	after, err := bot.cpu()
	if err != nil {
		return 0, 0, err
	}
	profile()
	rss, err = bot.resident()
	b.say("cpu: %.0f decisions/s, %.0f %% of one core", float64(n)/took.Seconds(), 100*(after-before).Seconds()/took.Seconds())
	return (after - before) * 1000 / time.Duration(n), rss, err
}

// decideFully plays one call from the command to its result.
func (w *world) decideFully(ctx context.Context, bot *bot, era string) (*question, error) {
	q, err := w.askOne(ctx, bot, era)
	if err != nil {
		return nil, err
	}
	opened := make(chan time.Time, 1)
	if _, _, err := w.slack.interact(ctx, bot, w.slack.click(q, opened)); err != nil {
		return nil, err
	}
	if _, err := await(ctx, "views.open", opened); err != nil {
		return nil, err
	}
	if _, err := w.slack.submitForm(ctx, bot, q); err != nil {
		return nil, err
	}
	if _, err := await(ctx, "the answer", q.answer); err != nil {
		return nil, err
	}
	_, err = await(ctx, "the result", q.finished)
	w.forget(q)
	return q, err
}

// drawn waits until chat.update was called so often.
func (w *world) drawn(ctx context.Context, n int) error {
	end := time.Now().Add(patience)
	for w.slack.updates.Load() < int64(n) {
		if time.Now().After(end) {
			return fmt.Errorf("%d of %d messages were redrawn", w.slack.updates.Load(), n)
		}
		select {
		case <-time.After(readyPoll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// throughput counts decisions with several replicas. All questions stand
// already; the forms are submitted as fast as they are taken, each to the
// next replica, so that of k replicas one in k is the owner.
func throughput(ctx context.Context, b *bench) error {
	t := table{
		title: "Decisions a second (submit → answer at the MCP server), 32 submissions at a time, spread over the replicas. All processes share the cores of one machine, so this shows what replicas cost, not how they scale.",
		head:  []string{"replicas", "decisions/s", "answer: p50, p99", "CPU of all bots per decision"},
	}
	for _, k := range b.o.sizes.replicas {
		line, err := b.throughputOf(ctx, k)
		if err != nil {
			return err
		}
		t.lines = append(t.lines, line)
	}
	b.tables = append(b.tables, t)
	return nil
}

// submitters is how many forms are submitted at a time.
const submitters = 32

func (b *bench) throughputOf(ctx context.Context, k int) ([]string, error) {
	w, err := b.world(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	n := b.o.sizes.throughput
	b.say("throughput: %d decisions with %d replicas", n, k)
	bots := make([]*bot, k)
	for i := range bots {
		if bots[i], err = w.bot(ctx, fmt.Sprintf("bot%d", i)); err != nil {
			return nil, err
		}
	}
	qs, err := w.each(ctx, n, outstanding, func(ctx context.Context, i int) (*question, error) {
		return w.askOne(ctx, bots[i%k], eraBlocking)
	})
	if err != nil {
		return nil, err
	}
	time.Sleep(b.o.sizes.rest)
	before, err := cpuOfAll(bots)
	if err != nil {
		return nil, err
	}
	took := make([]time.Duration, n)
	began := time.Now()
	_, err = w.each(ctx, n, submitters, func(ctx context.Context, i int) (*question, error) {
		sent, err := w.slack.submitForm(ctx, bots[i/k%k], qs[i])
		if err != nil {
			return nil, err
		}
		at, err := await(ctx, "the answer", qs[i].answer)
		took[i] = at.Sub(sent)
		return qs[i], err
	})
	if err != nil {
		return nil, err
	}
	all := time.Since(began)
	after, err := cpuOfAll(bots)
	if err != nil {
		return nil, err
	}
	s := samples(took)
	return []string{
		fmt.Sprint(k), fmt.Sprintf("%.0f (n = %d)", float64(n)/all.Seconds(), n),
		short(s.quantile(0.5)) + ", " + short(s.quantile(0.99)), short((after - before) / time.Duration(n)),
	}, nil
}

func cpuOfAll(bots []*bot) (sum time.Duration, err error) {
	for _, b := range bots {
		c, err := b.cpu()
		if err != nil {
			return 0, err
		}
		sum += c
	}
	return sum, nil
}
