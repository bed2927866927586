package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// floorOf measures one round trip to Redis and one over loopback HTTP to
// another process, at the pace of the other samples. Both are what the bot
// cannot do without.
func (b *bench) floorOf(ctx context.Context, w *world, bot *bot, n int) (redis, web samples, err error) {
	for i := range n + n/10 {
		t0 := time.Now()
		if err := w.redis.client.Ping(ctx).Err(); err != nil {
			return nil, nil, err
		}
		t1 := time.Now()
		time.Sleep(b.o.sizes.pause / 2)
		t2 := time.Now()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, bot.url+"/healthz", nil)
		if err != nil {
			return nil, nil, err
		}
		resp, err := w.client.Do(req)
		if err != nil {
			return nil, nil, err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return nil, nil, err
		}
		if err := resp.Body.Close(); err != nil {
			return nil, nil, err
		}
		t3 := time.Now()
		if i >= n/10 { // the first ones warm up
			redis, web = append(redis, t1.Sub(t0)), append(web, t3.Sub(t2))
		}
		time.Sleep(b.o.sizes.pause / 2)
	}
	return redis, web, nil
}

// clickAll presses Respond… on questions, one after the other, and returns how
// long it took until views.open arrived.
func (b *bench) clickAll(ctx context.Context, w *world, bot *bot, qs []*question, n int) (samples, error) {
	var out samples
	for i := range n {
		q := qs[i%len(qs)]
		opened := make(chan time.Time, 1)
		sent, _, err := w.slack.interact(ctx, bot, w.slack.click(q, opened))
		if err != nil {
			return nil, err
		}
		at, err := await(ctx, "views.open", opened)
		if err != nil {
			return nil, err
		}
		out = append(out, at.Sub(sent))
		time.Sleep(b.o.sizes.pause)
	}
	return out, nil
}

// submitAll submits the forms of questions, one after the other, and returns
// how long it took until the answer arrived at the MCP server.
func (b *bench) submitAll(ctx context.Context, w *world, bot *bot, qs []*question) (samples, error) {
	var out samples
	for _, q := range qs {
		sent, err := w.slack.submitForm(ctx, bot, q)
		if err != nil {
			return nil, err
		}
		at, err := await(ctx, "the answer", q.answer)
		if err != nil {
			return nil, err
		}
		out = append(out, at.Sub(sent))
		w.forget(q)
		time.Sleep(b.o.sizes.pause)
	}
	return out, nil
}

// latency measures what the bot adds between a person and a server.
func latency(ctx context.Context, b *bench) error {
	w, err := b.world(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	s := b.o.sizes
	var bots [2]*bot
	for i := range bots {
		if bots[i], err = w.bot(ctx, fmt.Sprintf("bot%d", i)); err != nil {
			return err
		}
	}
	own, other := bots[0], bots[1]
	b.say("latency: %d questions", s.pending)
	qs, err := w.ask(ctx, own, eraBlocking, s.pending)
	if err != nil {
		return err
	}
	time.Sleep(b.o.sizes.rest) // what follows a card is over
	redis, web, err := b.floorOf(ctx, w, own, s.floor/2)
	if err != nil {
		return err
	}
	profile := b.profile(ctx, own, "latency")
	b.say("latency: clicks")
	cold, err := b.clickAll(ctx, w, own, onePerPerson(qs), len(onePerPerson(qs)))
	if err != nil {
		return err
	}
	warm, err := b.clickAll(ctx, w, own, qs, s.clicks)
	if err != nil {
		return err
	}
	b.say("latency: submissions on the same replica")
	same, err := b.submitFresh(ctx, w, own, own, s.answers, qs)
	if err != nil {
		return err
	}
	b.say("latency: submissions on the other replica")
	far, err := b.submitFresh(ctx, w, own, other, s.answers, nil)
	if err != nil {
		return err
	}
	profile()
	b.say("latency: submissions of the durable era")
	durable, err := b.submitDurable(ctx, w, own, s.answers/4)
	if err != nil {
		return err
	}
	redis2, web2, err := b.floorOf(ctx, w, own, s.floor/2)
	if err != nil {
		return err
	}
	redis, web = append(redis, redis2...), append(web, web2...)
	audited, err := b.submitAudited(ctx, s.answers/4)
	if err != nil {
		return err
	}
	floor := redis.quantile(0.5) + web.quantile(0.5)
	b.tell("floor: one Redis round trip + one loopback HTTP round trip",
		fmt.Sprintf("%s = %s + %s (medians, n = %d each)", short(floor), short(redis.quantile(0.5)), short(web.quantile(0.5)), len(redis)))
	b.holdLatency(fmt.Sprintf("button → `views.open` sent, %d pending", s.pending), warm, floor, 2, 10)
	b.holdLatency("submit → JSON-RPC answer on the wire, same replica", same, floor, 2, 10)
	b.holdLatency("submit → JSON-RPC answer on the wire, other replica", far, floor, 3, 15)
	b.tell("button → `views.open` sent, first click of a person in a minute (asks Slack for time zone and language)", cold.String())
	b.tell("submit → request repeated with the answer, durable era, same replica", durable.String())
	b.tell("submit → JSON-RPC answer, same replica, with an audit file (each record is on disk before the answer leaves)", audited.String())
	return nil
}

// holdLatency adds two rows: the median and the 99th percentile, in floors.
func (b *bench) holdLatency(what string, s samples, floor time.Duration, p50, p99 float64) {
	f := func(q float64) float64 { return float64(s.quantile(q)) / float64(floor) }
	b.hold(what+": p50", fmt.Sprintf("%.0f × floor", p50), fmt.Sprintf("%s = %.2f × floor (n = %d)", short(s.quantile(0.5)), f(0.5), len(s)), f(0.5)/p50)
	tail := ""
	if len(s) >= 1000 {
		tail = ", p99.9 " + short(s.quantile(0.999))
	}
	b.hold(what+": p99", fmt.Sprintf("%.0f × floor", p99), fmt.Sprintf("%s = %.2f × floor%s", short(s.quantile(0.99)), f(0.99), tail), f(0.99)/p99)
}

// onePerPerson are the first questions of different people.
func onePerPerson(qs []*question) []*question {
	seen := map[string]bool{}
	var out []*question
	for _, q := range qs {
		if !seen[q.user] {
			seen[q.user] = true
			out = append(out, q)
		}
	}
	return out
}

// submitFresh submits n forms of which the bot knows the people, as it does of
// those who have just opened their form. It asks as often as it needs to.
func (b *bench) submitFresh(ctx context.Context, w *world, owner, at *bot, n int, qs []*question) (samples, error) {
	var out samples
	for len(out) < n {
		var err error
		if len(qs) == 0 {
			if qs, err = w.ask(ctx, owner, eraBlocking, min(n-len(out), b.o.sizes.pending)); err != nil {
				return nil, err
			}
			time.Sleep(b.o.sizes.rest)
		}
		if _, err := b.clickAll(ctx, w, at, onePerPerson(qs), len(onePerPerson(qs))); err != nil {
			return nil, err
		}
		got, err := b.submitAll(ctx, w, at, qs[:min(len(qs), n-len(out))])
		if err != nil {
			return nil, err
		}
		out, qs = append(out, got...), nil
	}
	return out, nil
}

func (b *bench) submitDurable(ctx context.Context, w *world, bot *bot, n int) (samples, error) {
	qs, err := w.ask(ctx, bot, eraDurable, n)
	if err != nil {
		return nil, err
	}
	time.Sleep(b.o.sizes.rest)
	if _, err := b.clickAll(ctx, w, bot, onePerPerson(qs), len(onePerPerson(qs))); err != nil {
		return nil, err
	}
	return b.submitAll(ctx, w, bot, qs)
}

// submitAudited measures submissions of a bot that writes an audit file.
func (b *bench) submitAudited(ctx context.Context, n int) (samples, error) {
	w, err := b.world(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	bot, err := w.bot(ctx, "audited", "SLACKBRIDGE_AUDIT_FILE="+w.dir+"/audit.jsonl")
	if err != nil {
		return nil, err
	}
	b.say("latency: submissions with an audit file")
	return b.submitFresh(ctx, w, bot, bot, n, nil)
}

// acks measures how long Slack waits for an acknowledgement while interactions
// of every kind arrive at a steady rate, whatever became of those before.
func acks(ctx context.Context, b *bench) error {
	w, err := b.world(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	bot, err := w.bot(ctx, "bot")
	if err != nil {
		return err
	}
	s := b.o.sizes
	total := int(s.ack.Seconds() * float64(s.rate))
	// Of ten interactions five are clicks, two are submissions that are
	// accepted, two are sent back, and one is a closed form.
	ends := total*3/10 + 1
	b.say("ack: %d questions", ends+s.rate)
	qs, err := w.ask(ctx, bot, eraBlocking, ends+s.rate)
	if err != nil {
		return err
	}
	time.Sleep(b.o.sizes.rest)
	b.say("ack: %d interactions a second for %s", s.rate, s.ack)
	profile := b.profile(ctx, bot, "ack")
	before, err := bot.cpu()
	if err != nil {
		return err
	}
	ending, standing := qs[:ends], qs[ends:]
	var mu sync.Mutex
	var out samples
	var failed []error
	var wg sync.WaitGroup
	began := time.Now()
	for i := range total {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(s.rate))
		time.Sleep(time.Until(due))
		payload, check := w.mixed(i, ending, standing)
		wg.Go(func() {
			_, ack, err := w.slack.interact(ctx, bot, payload)
			took := time.Since(due) // a late start counts: Slack would not wait for us
			if err == nil && check {
				err = taken(ack)
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, took)
			if err != nil {
				failed = append(failed, err)
			}
		})
	}
	wg.Wait()
	rate := float64(total) / time.Since(began).Seconds()
	after, err := bot.cpu()
	if err != nil {
		return err
	}
	profile()
	if len(failed) > total/10 {
		return fmt.Errorf("%d of %d interactions failed, such as: %w; the bot's last words: %s", len(failed), total, failed[0], bot.lastWords())
	}
	if len(failed) > 0 {
		b.note("%d of %d interactions were not taken, such as: %v", len(failed), total, failed[0])
		b.say("ack: the bot's last complaints:\n%s", bot.complaints())
	}
	worst := out.quantile(0.999)
	b.hold(fmt.Sprintf("ack of any interaction, p99.9, at %.0f interactions/s", rate), "250 ms",
		fmt.Sprintf("%s; p50 %s, p99 %s (n = %d)", short(worst), short(out.quantile(0.5)), short(out.quantile(0.99)), len(out)),
		float64(worst)/float64(250*time.Millisecond))
	b.note("While %.0f interactions a second came, the bot used %.0f %% of one core.", rate, 100*(after-before).Seconds()/(float64(total)/rate))
	return nil
}

// mixed is the i-th interaction of a stream. check asks for a form that closes.
func (w *world) mixed(i int, ending, standing []*question) (payload object, check bool) {
	q := standing[i%len(standing)]
	switch i % 10 {
	case 1, 6:
		return w.slack.submit(ending[i/10*3+i%10/5]), true
	case 3, 8:
		return w.slack.submitWrong(q), false
	case 4:
		return w.slack.dismiss(ending[i/10*3+2]), false
	}
	return w.slack.click(q, nil), false
}
