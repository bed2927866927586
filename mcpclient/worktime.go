package mcpclient

import (
	"context"
	"sync"
	"time"
)

// workTime measures the working time of a call: it stands still while a
// question of the call is open, since people think for as long as they like.
type workTime struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time

	mu    sync.Mutex
	left  time.Duration // at since
	since time.Time     // when it last began to run
	open  int           // questions
	turn  chan struct{} // a note that it stopped or began to run
}

func newWorkTime(limit time.Duration, now func() time.Time, after func(time.Duration) <-chan time.Time) *workTime {
	return &workTime{now: now, after: after, left: limit, since: now(), turn: make(chan struct{}, 1)}
}

// pause is called when a question opens, resume when it has ended.
func (w *workTime) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == 0 {
		w.left -= w.now().Sub(w.since)
	}
	w.open++
	w.note()
}

func (w *workTime) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open--
	if w.open == 0 {
		w.since = w.now()
	}
	w.note()
}

func (w *workTime) note() {
	select {
	case w.turn <- struct{}{}:
	default: // a note is waiting
	}
}

func (w *workTime) remaining() (left time.Duration, running bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open > 0 {
		return w.left, false
	}
	return w.left - w.now().Sub(w.since), true
}

// spent waits until the time is used up and reports true, or false when ctx
// ends first.
func (w *workTime) spent(ctx context.Context) bool {
	for {
		left, running := w.remaining()
		if running && left <= 0 {
			return true
		}
		var alarm <-chan time.Time
		if running {
			alarm = w.after(left)
		}
		select {
		case <-alarm:
		case <-w.turn:
		case <-ctx.Done():
			return false
		}
	}
}
