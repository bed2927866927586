package slacksim

import (
	"encoding/json"
	"net/http"
	"time"
)

// Fault makes calls of one Web API method go wrong. The first of RetryAfter,
// Status and Error that is set decides the answer, and the call is then not
// carried out; with none of them it is carried out.
type Fault struct {
	After      int           // calls that pass before it begins
	Times      int           // calls that it spoils; 0 means one, negative all
	RetryAfter time.Duration // answer 429 with this Retry-After
	Status     int           // answer this HTTP status, e.g. 503
	Error      string        // answer ok:false with this code
	Delay      time.Duration // wait before anything else
	Drop       bool          // close the connection instead of answering: the outcome is unknown
}

// Fault applies f to the coming calls of a method, after those set before.
func (s *Sim) Fault(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	s.faults[method] = append(s.faults[method], &f)
}

// ClearFaults takes back all faults: Slack works again.
func (s *Sim) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
}

// takeFault returns the fault for this call; the zero Fault does nothing.
func (s *Sim) takeFault(method string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.faults[method]
	if len(queue) == 0 {
		return Fault{}
	}
	f := queue[0]
	if f.After > 0 {
		f.After--
		return Fault{}
	}
	if f.Times--; f.Times == 0 {
		s.faults[method] = queue[1:]
	}
	return *f
}

// answer returns what the fault answers, and whether it does.
func (f Fault) answer() (answer, bool) {
	switch {
	case f.RetryAfter > 0:
		return limited(f.RetryAfter), true
	case f.Status != 0:
		a := bad("internal_error")
		a.status = f.Status
		if f.Status == http.StatusServiceUnavailable {
			a.body["error"] = "service_unavailable"
		}
		return a, true
	case f.Error != "":
		return bad(f.Error), true
	default:
		return answer{}, false
	}
}

// Call is one Web API call as the app made it.
type Call struct {
	Method   string
	Args     map[string]any  // decoded; blocks and view also when they were sent as text
	Response json.RawMessage // what was answered, also when the connection was dropped
	Status   int             // HTTP status
	At       time.Time       // when it arrived
}

// OK reports whether Slack carried the call out.
func (c Call) OK() bool {
	o, _ := decode(c.Response).(object)
	return o["ok"] == true
}

// Error is the error code of the answer; empty when there is none.
func (c Call) Error() string {
	o, _ := decode(c.Response).(object)
	return str(o, "error")
}

// Calls returns every Web API call so far, in the order of their answers.
func (s *Sim) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// CallsOf returns the calls of one method.
func (s *Sim) CallsOf(method string) []Call {
	var out []Call
	for _, c := range s.Calls() {
		if c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

func (s *Sim) logCall(c Call) {
	s.opt.Log.Debug("Web API call", "method", c.Method, "status", c.Status, "error", c.Error())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	s.change()
}
