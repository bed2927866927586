package mcpclient

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/slackbridge/slackbridge/elicit"
)

// Options configure a Host.
type Options struct {
	// Servers are needed.
	Servers *Servers

	// Ask is needed. It is called for each question of the blocking era, in a
	// goroutine of its own, and returns when the question has ended. ctx ends
	// with a cause of package elicit when the question is taken away, and with
	// the cause of the call's context when the call is given up. reply sends
	// the one response and returns nil only when the server has it; when the
	// question is gone it returns the cause and sends nothing.
	Ask func(ctx context.Context, q elicit.Question, reply func(context.Context, elicit.Answer) error)

	// Completed hears that a server calls a page finished that a question of
	// that call had asked a person to open. It must not block. nil: nobody hears.
	Completed func(call elicit.CallID, elicitationID string)

	// Authorize returns the Authorization header of a user's requests to a server
	// over HTTP, for servers that want each person to log in; empty: what the
	// servers file says. An error ends the request. nil: nobody has logged in
	// anywhere.
	Authorize func(ctx context.Context, server string, user elicit.User) (string, error)

	// Called hears how each Call and Resume ended. It must not block. nil: nobody
	// hears.
	Called func(server string, end Ending)

	// Elicitation reports whether server is offered the capability to ask.
	// nil: every server is.
	Elicitation func(server string) bool

	Log     *slog.Logger // nil: nothing is logged
	Version string       // of slackbridge, told to servers; empty: "dev"

	// Environ is os.Environ unless set. Children get only PATH, HOME, LANG and
	// TMPDIR of it.
	Environ func() []string

	Rand  io.Reader                            // JSON-RPC ids and jitter; nil: crypto/rand
	Now   func() time.Time                     // nil: time.Now
	After func(time.Duration) <-chan time.Time // nil: time.After

	HandshakeTimeout time.Duration // from the start of a server to its tools; 0: 30 s
	DiscoverTimeout  time.Duration // for the answer to server/discover of a server not known yet; 0: 5 s
	PerUser          int           // connections to one server for one user, and so calls at a time; 0: 4
	IdleTime         time.Duration // after which an unused connection is closed; 0: 5 min
	ProgressInterval time.Duration // between notes to a server that its question still waits; 0: 10 s
}

func (o Options) withDefaults() (Options, error) {
	var errs []error
	if o.Servers == nil || len(o.Servers.list) == 0 {
		errs = append(errs, errors.New("mcpclient: Servers is not set"))
	}
	if o.Ask == nil {
		errs = append(errs, errors.New("mcpclient: Ask is not set"))
	}
	if o.Completed == nil {
		o.Completed = func(elicit.CallID, string) {}
	}
	if o.Called == nil {
		o.Called = func(string, Ending) {}
	}
	if o.Authorize == nil {
		o.Authorize = func(context.Context, string, elicit.User) (string, error) { return "", nil }
	}
	if o.Elicitation == nil {
		o.Elicitation = func(string) bool { return true }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Environ == nil {
		o.Environ = os.Environ
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	orDuration(&o.HandshakeTimeout, 30*time.Second)
	orDuration(&o.DiscoverTimeout, 5*time.Second)
	orDuration(&o.IdleTime, 5*time.Minute)
	orDuration(&o.ProgressInterval, 10*time.Second)
	if o.PerUser <= 0 {
		o.PerUser = 4
	}
	return o, errors.Join(errs...)
}

func orDuration(d *time.Duration, otherwise time.Duration) {
	if *d <= 0 {
		*d = otherwise
	}
}
