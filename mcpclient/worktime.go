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

	limit time.Duration // between two signs of progress

	mu    sync.Mutex
	left  time.Duration // at since
	most  time.Duration // at since: what is left however much progress is reported
	since time.Time     // when it last began to run
	open  int           // questions
	turn  chan struct{} // a note that it stopped or began to run
}

func newWorkTime(limit time.Duration, now func() time.Time, after func(time.Duration) <-chan time.Time) *workTime {
	return &workTime{now: now, after: after, limit: limit, left: limit, most: maxLimits * limit, since: now(), turn: make(chan struct{}, 1)}
}

// maxLimits is how many times its limit a call may work in all, if its server
// reports progress: one that reports for ever does not run for ever.
const maxLimits = 20

// progressed starts the limit anew: the server is at work.
func (w *workTime) progressed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
	w.left = min(w.limit, w.most)
	w.note()
}

// count takes off what was used since; w.mu is held.
func (w *workTime) count() {
	if w.open > 0 {
		return
	}
	now := w.now()
	used := now.Sub(w.since)
	w.left, w.most, w.since = w.left-used, w.most-used, now
}

// pause is called when a question opens, resume when it has ended.
func (w *workTime) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count()
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
