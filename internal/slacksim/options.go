package slacksim

import (
	"crypto/rand"
	"io"
	"log/slog"
	"time"
)

// Options configure a Sim. The zero value is usable.
type Options struct {
	// Listen is the address to serve on; empty means "127.0.0.1:0".
	Listen string
	// Now is the clock of everything that Slack stamps or lets expire; nil means time.Now.
	Now func() time.Time
	// Rand feeds ids, tokens and the choice of sockets; nil means crypto/rand.
	Rand io.Reader
	// Log takes what the simulated Slack would only know itself; nil means nowhere.
	Log *slog.Logger
	// Workspace is who and what exists; nil means DefaultWorkspace().
	Workspace *Workspace

	// AckTimeout is how long the app may take to acknowledge; 0 means Slack's 3 s.
	AckTimeout time.Duration
	// TriggerLife is how long a trigger_id can be used; 0 means Slack's 3 s.
	TriggerLife time.Duration
	// MessageInterval is the least time between two messages in one channel;
	// 0 means Slack's 1 s, negative switches the limit off.
	MessageInterval time.Duration
	// EventRetries are the waits before an unacknowledged event is sent again;
	// nil means Slack's: at once, after 1 min, after 5 min.
	EventRetries []time.Duration
	// SocketLife is how long a socket lives before it is refreshed; 0 means 1 h.
	SocketLife time.Duration
	// PingInterval is how often a socket is pinged; 0 means 10 s.
	PingInterval time.Duration
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Workspace == nil {
		w := DefaultWorkspace()
		o.Workspace = &w
	}
	if o.EventRetries == nil {
		o.EventRetries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	for _, d := range []struct {
		at *time.Duration
		or time.Duration
	}{
		{&o.AckTimeout, 3 * time.Second},
		{&o.TriggerLife, 3 * time.Second},
		{&o.MessageInterval, time.Second},
		{&o.SocketLife, time.Hour},
		{&o.PingInterval, 10 * time.Second},
	} {
		if *d.at == 0 {
			*d.at = d.or
		}
	}
	return o
}
