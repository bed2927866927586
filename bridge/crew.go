package bridge

import "sync"

// crew counts the goroutines that Drain waits for. Unlike a sync.WaitGroup it
// may be joined while somebody waits: an answer that is given during the drain
// still redraws its card. The zero value is ready.
type crew struct {
	mu     sync.Mutex
	n      int
	closed bool // no new calls
	idlers []chan struct{}
}

// enter joins unless the crew was closed.
func (c *crew) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.n++
	return true
}

// join counts in work that is part of something running already.
func (c *crew) join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n > 0 {
		return
	}
	for _, idler := range c.idlers {
		close(idler)
	}
	c.idlers = nil
}

func (c *crew) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// idle returns a channel that is closed once nobody works.
func (c *crew) idle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	done := make(chan struct{})
	if c.n == 0 {
		close(done)
		return done
	}
	c.idlers = append(c.idlers, done)
	return done
}
