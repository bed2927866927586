package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// repostPause is between two attempts to post the same message.
const repostPause = time.Second

// post posts a message until Slack says what became of it, as long as ctx
// lasts. An attempt of which nothing was heard may have succeeded: a message
// that stands twice does less harm than one that nobody sees. A second card of
// a question gives way when it is clicked.
//
// Errors are those of Messenger.Post.
func (b *Bridge) post(ctx context.Context, to elicit.Place, m blockkit.Message) (elicit.MessageRef, error) {
	for {
		ref, err := b.o.Slack.Post(ctx, to, m)
		if !errors.Is(err, elicit.ErrSlackUnreachable) || ctx.Err() != nil {
			return ref, err
		}
		b.o.Log.Warn("a message may not have been posted and is posted again", "channel", to.Channel, "err", err)
		select {
		case <-b.o.After(repostPause):
		case <-ctx.Done():
			return ref, err
		}
	}
}

// postInThread posts a message in the thread of a call, or in the requester's
// DM when the bot cannot post there any more.
func (b *Bridge) postInThread(ctx context.Context, o elicit.Origin, m blockkit.Message) error {
	_, err := b.post(ctx, elicit.Place{Channel: o.Channel, Thread: o.Thread}, m)
	if !errors.Is(err, elicit.ErrCannotPost) {
		return err
	}
	dm, err := b.o.Slack.DirectMessage(ctx, o.Requester)
	if err == nil {
		_, err = b.post(ctx, elicit.Place{Channel: dm}, m)
	}
	return err
}
