package slackapp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// messageInterval is how far apart two messages in one channel are: Slack
// allows about one a second and answers 429 beyond.
const messageInterval = time.Second

func content(m blockkit.Message) []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(m.Text, false), slack.MsgOptionBlocks(m.Blocks...),
		slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
}

// postTimeout bounds one attempt to post. The caller's deadline ends the wait
// for a turn, not the attempt: a message of which nobody knows whether it
// stands would keep its buttons for ever.
const postTimeout = 10 * time.Second

// Post posts a message. It waits its turn in the channel. What may have
// arrived is not sent again.
func (c *Client) Post(ctx context.Context, to elicit.Place, m blockkit.Message) (elicit.MessageRef, error) {
	if err := c.limits.reserve(ctx, "pace "+to.Channel, c.o.MessageInterval); err != nil {
		return elicit.MessageRef{}, unreachable("chat.postMessage", err)
	}
	opts := content(m)
	if to.Thread != "" {
		opts = append(opts, slack.MsgOptionTS(to.Thread))
	}
	var ref elicit.MessageRef
	err := c.do(ctx, "chat.postMessage", to.Channel, once, func(ctx context.Context) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), postTimeout, errors.New("Slack took too long to post"))
		defer cancel()
		ref.Channel, ref.TS, err = c.api.PostMessageContext(ctx, to.Channel, opts...)
		return err
	})
	return ref, err
}

// Ephemeral shows a message to one user only.
func (c *Client) Ephemeral(ctx context.Context, to elicit.Place, user string, m blockkit.Message) error {
	opts := []slack.MsgOption{slack.MsgOptionText(m.Text, false), slack.MsgOptionBlocks(m.Blocks...)}
	if to.Thread != "" {
		opts = append(opts, slack.MsgOptionTS(to.Thread))
	}
	return c.do(ctx, "chat.postEphemeral", "", once, func(ctx context.Context) error {
		_, err := c.api.PostEphemeralContext(ctx, to.Channel, user, opts...)
		return err
	})
}

// Respond answers through a response_url, for the eyes of one user only. It
// works in conversations that the bot is not in.
func (c *Client) Respond(ctx context.Context, responseURL string, m blockkit.Message) error {
	if responseURL == "" {
		return fmt.Errorf("answering through a response_url: %w: there is none", elicit.ErrGone)
	}
	msg := &slack.WebhookMessage{
		Text: m.Text, Blocks: &slack.Blocks{BlockSet: m.Blocks}, ResponseType: slack.ResponseTypeEphemeral, ReplaceOriginal: false,
	}
	begun := c.o.Now()
	err := slack.PostWebhookCustomHTTPContext(ctx, responseURL, c.http, msg)
	c.o.Observe("response_url", codeForCounting(ctx, err), c.o.Now().Sub(begun))
	if err != nil {
		// The address is a secret of its own: it must not get into an error.
		var status slack.StatusCodeError
		if errors.As(err, &status) {
			return fmt.Errorf("answering through a response_url: %w: status %d", elicit.ErrGone, status.Code)
		}
		return fmt.Errorf("answering through a response_url: %w", elicit.ErrSlackUnreachable)
	}
	return nil
}

// Update redraws a message. Newer content for the same message takes the place
// of older content that still waits; such an older call returns nil at once,
// for its content is history.
func (c *Client) Update(ctx context.Context, ref elicit.MessageRef, m blockkit.Message) error {
	return c.redraws.draw(ctx, ref, m)
}

func (c *Client) update(ctx context.Context, ref elicit.MessageRef, m blockkit.Message) error {
	return c.do(ctx, "chat.update", "", safe, func(ctx context.Context) error {
		_, _, _, err := c.api.UpdateMessageContext(ctx, ref.Channel, ref.TS, content(m)...)
		return err
	})
}

// redrawLife is how long a redraw goes on after its caller has stopped waiting.
const redrawLife = 15 * time.Minute

// redraws keeps, for each message, the newest content that is not drawn yet,
// with one worker for each message that has any.
type redraws struct {
	c    *Client
	ctx  context.Context // ends with the Client: it governs the workers
	stop context.CancelFunc
	jobs sync.WaitGroup

	mu      sync.Mutex
	waiting map[elicit.MessageRef]*redraw
}

type redraw struct {
	m    blockkit.Message
	done chan struct{}
	err  error
}

func (r *redraws) init(c *Client) {
	r.c, r.waiting = c, map[elicit.MessageRef]*redraw{}
	r.ctx, r.stop = context.WithCancel(context.Background())
}

func (r *redraws) close() {
	r.stop()
	r.jobs.Wait()
}

// draw hands content to the worker of its message and waits for it as long as
// ctx lasts. The worker goes on afterwards: a card must not stay wrong because
// Slack was slow.
func (r *redraws) draw(ctx context.Context, ref elicit.MessageRef, m blockkit.Message) error {
	job := &redraw{m: m, done: make(chan struct{})}
	r.mu.Lock()
	older, busy := r.waiting[ref]
	r.waiting[ref] = job
	if !busy {
		r.jobs.Go(func() { r.work(ref) })
	} else if older != nil {
		close(older.done)
	}
	r.mu.Unlock()
	select {
	case <-job.done:
		return job.err
	case <-ctx.Done():
		return unreachable("chat.update", context.Cause(ctx))
	}
}

// work draws what waits for one message until nothing does. An entry of nil
// says that the worker is busy with the last one.
func (r *redraws) work(ref elicit.MessageRef) {
	for {
		r.mu.Lock()
		job := r.waiting[ref]
		if job == nil {
			delete(r.waiting, ref)
			r.mu.Unlock()
			return
		}
		r.waiting[ref] = nil
		r.mu.Unlock()
		ctx, cancel := context.WithTimeoutCause(r.ctx, redrawLife, errors.New("the redraw was given up"))
		job.err = r.c.update(ctx, ref, job.m)
		cancel()
		close(job.done)
	}
}
