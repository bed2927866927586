package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Proxy stands before one Redis and is a bad network when told so: slow, deaf,
// gone, or cut in the middle of a chosen request.
type Proxy struct {
	Addr string // host:port
	URL  string // redis://host:port

	tb testing.TB
	to string
	wg sync.WaitGroup

	mu            sync.Mutex
	listener      net.Listener // nil while it is down
	links         map[*link]bool
	before, after time.Duration // how long a request and a reply are held back
	deaf          bool
	cut           *cut
}

// Request is one command as a client sent it, name first.
type Request []string

// Is reports whether the command has this name.
func (r Request) Is(name string) bool { return len(r) > 0 && strings.EqualFold(r[0], name) }

// Has reports whether one of the arguments is exactly this.
func (r Request) Has(arg string) bool {
	for _, a := range r {
		if a == arg {
			return true
		}
	}
	return false
}

// cut is a reset that waits for its request, once.
type cut struct {
	of     func(Request) bool
	bytes  int // of the request that still pass; negative: all, and no reply
	struck chan struct{}
}

// link is one connection of a client and its own to the server.
type link struct {
	client, server *net.TCPConn
	once           sync.Once
	done           chan struct{}

	mu    sync.Mutex
	reset *cut // the next reply is replaced by a reset
}

// StartProxy runs a proxy before srv until the test ends.
func StartProxy(tb testing.TB, srv *Server) *Proxy {
	tb.Helper()
	p := &Proxy{Addr: freeAddresses(tb, 1)[0], tb: tb, to: srv.Addr, links: map[*link]bool{}}
	p.URL = "redis://" + p.Addr
	p.Up()
	tb.Cleanup(func() { p.Down(); p.wg.Wait() })
	return p
}

// Up takes connections, at the start and after Down.
func (p *Proxy) Up() {
	p.tb.Helper()
	l, err := net.Listen("tcp", p.Addr)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.mu.Lock()
	p.listener = l
	p.mu.Unlock()
	p.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.serve(c.(*net.TCPConn)) })
		}
	})
}

// Down refuses connections and resets those that stand.
func (p *Proxy) Down() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
	}
	p.listener = nil
	p.mu.Unlock()
	p.Reset()
}

// Reset resets the connections that stand. New ones are taken.
func (p *Proxy) Reset() {
	p.mu.Lock()
	links := p.links
	p.links = map[*link]bool{}
	p.mu.Unlock()
	for l := range links {
		l.end()
	}
}

// Delay holds every request back for before, although its client may have given
// up meanwhile, and every reply for after.
func (p *Proxy) Delay(before, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before, p.after = before, after
}

// Blackhole takes connections and requests and passes nothing on, as a network
// does that drops packets. Afterwards the connections of that time are reset.
func (p *Proxy) Blackhole(on bool) {
	p.mu.Lock()
	p.deaf = on
	p.mu.Unlock()
	if !on {
		p.Reset()
	}
}

// CutRequest resets the connection of the next request that of picks, after so
// many of its bytes were passed. The channel is closed when that was done.
func (p *Proxy) CutRequest(of func(Request) bool, bytes int) <-chan struct{} {
	return p.arm(&cut{of: of, bytes: bytes, struck: make(chan struct{})})
}

// CutReply passes the next request that of picks, waits until the server has
// answered it, and resets the connection instead of passing the answer.
func (p *Proxy) CutReply(of func(Request) bool) <-chan struct{} {
	return p.arm(&cut{of: of, bytes: -1, struck: make(chan struct{})})
}

func (p *Proxy) arm(c *cut) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = c
	return c.struck
}

// cutFor returns the cut that waits for this request, and forgets it.
func (p *Proxy) cutFor(r Request) *cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.cut
	if c == nil || !c.of(r) {
		return nil
	}
	p.cut = nil
	return c
}

func (p *Proxy) serve(client *net.TCPConn) {
	l := &link{client: client, done: make(chan struct{})}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		_ = client.Close()
		return
	}
	l.server = server.(*net.TCPConn)
	p.mu.Lock()
	up := p.listener != nil
	if up {
		p.links[l] = true
	}
	p.mu.Unlock()
	if !up {
		l.end()
		return
	}
	p.wg.Go(func() { p.replies(l) })
	p.requests(l)
	l.end()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// end resets both connections.
func (l *link) end() {
	l.once.Do(func() {
		close(l.done)
		for _, c := range []*net.TCPConn{l.client, l.server} {
			_ = c.SetLinger(0) // a reset, not an orderly end
			_ = c.Close()
		}
	})
}

// hold waits; false when the link has ended meanwhile.
func (l *link) hold(d time.Duration) bool {
	if d == 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-l.done:
		return false
	}
}

func (p *Proxy) state() (before, after time.Duration, deaf bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.before, p.after, p.deaf
}

func (p *Proxy) requests(l *link) {
	in := bufio.NewReader(l.client)
	for {
		raw, r, err := readRequest(in)
		if err != nil {
			return
		}
		before, _, deaf := p.state()
		if deaf {
			continue
		}
		if !l.hold(before) {
			return
		}
		c := p.cutFor(r)
		switch {
		case c == nil:
		case c.bytes < 0:
			l.mu.Lock()
			l.reset = c
			l.mu.Unlock()
		default:
			_, _ = l.server.Write(raw[:min(c.bytes, len(raw))])
			l.end()
			close(c.struck)
			return
		}
		if _, err := l.server.Write(raw); err != nil {
			return
		}
	}
}

func (p *Proxy) replies(l *link) {
	defer l.end()
	buf := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buf)
		if err != nil {
			return
		}
		l.mu.Lock()
		c := l.reset
		l.mu.Unlock()
		if c != nil {
			l.end()
			close(c.struck)
			return
		}
		_, after, deaf := p.state()
		if deaf {
			continue
		}
		if !l.hold(after) {
			return
		}
		if _, err := l.client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// readRequest reads one command: an array of strings, the only form in which
// clients send them.
func readRequest(in *bufio.Reader) (raw []byte, r Request, err error) {
	count := func(kind byte) (int, error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		raw = append(raw, line...)
		if line[0] != kind {
			return 0, fmt.Errorf("a request has %q where %q is due", line, kind)
		}
		return strconv.Atoi(strings.TrimSpace(line[1:]))
	}
	n, err := count('*')
	if err != nil {
		return nil, nil, err
	}
	for range n {
		size, err := count('$')
		if err != nil {
			return nil, nil, err
		}
		if size < 0 {
			return nil, nil, errors.New("a request holds a nil")
		}
		arg := make([]byte, size+2) // with the line's end
		if _, err := io.ReadFull(in, arg); err != nil {
			return nil, nil, err
		}
		raw = append(raw, arg...)
		r = append(r, string(arg[:size]))
	}
	return raw, r, nil
}
