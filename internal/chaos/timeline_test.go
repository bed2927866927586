package chaos

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// entry is one line of a timeline.
type entry struct {
	at   time.Time
	text string
}

// timeline tells the story of one question: what its server received and sent,
// what people did, how its messages looked, which faults happened meanwhile,
// and, in brackets, what the replicas logged.
func (s *suite) timeline(e *evidence, nonce string) string {
	q := e.questions[nonce]
	if q == nil {
		return "no timeline: nobody asked " + nonce
	}
	all := []entry{{q.started, fmt.Sprintf("%s starts %s.%s; plan: %s", q.requester, q.server, q.tool, q.plan)}}
	for _, a := range e.acts[nonce] {
		text := fmt.Sprintf("%s: %s %s", a.who, a.what, a.token)
		if a.who != q.requester {
			text = "stranger " + text
		}
		if a.err != nil {
			text += " (" + a.err.Error() + ")"
		}
		if a.told {
			text += " — the form closes: recorded"
		}
		all = append(all, entry{a.begin, text + fmt.Sprintf(" [%s]", a.end.Sub(a.begin).Round(time.Millisecond))})
	}
	all = append(all, s.wireOf(nonce)...)
	all = append(all, s.messagesOf(e, q)...)
	sortBy(all, func(x entry) time.Time { return x.at })
	from, to := q.started.Add(-2*time.Second), all[len(all)-1].at.Add(2*time.Second)
	for _, f := range e.faults {
		if f.begin.Before(to) && f.end.After(from) {
			all = append(all, entry{f.begin, fmt.Sprintf("*** %s: %s (until +%s)", f.kind, f.detail, f.end.Sub(q.started).Round(time.Millisecond))})
		}
	}
	all = append(all, s.logsOf(e, q)...)
	sortBy(all, func(x entry) time.Time { return x.at })
	var b strings.Builder
	fmt.Fprintf(&b, "timeline of %s\n", nonce)
	for _, x := range all {
		fmt.Fprintf(&b, "  %+9.3fs %s\n", x.at.Sub(q.started).Seconds(), x.text)
	}
	return b.String()
}

func (s *suite) wireOf(nonce string) []entry {
	var out []entry
	events := s.events()
	ids := map[string]bool{} // connections and ids that belong to the question
	for _, e := range events {
		var m wireMessage
		if json.Unmarshal(e.Message, &m) != nil && e.Dir != dirEnd {
			continue
		}
		key, exchange := e.Conn+"#"+string(m.ID), exchangeKey(e)
		mine := strings.Contains(string(e.Message), nonce)
		if mine {
			ids[exchange] = e.Exchange != 0
			ids[key] = m.ID != nil && e.Server != serverDurable
			ids[e.Conn] = e.Server == serverChild
		}
		mine = mine || e.Dir != dirEnd && m.Method == "" && (ids[key] || ids[exchange] && e.Server == serverDurable) || e.Dir == dirEnd && (ids[exchange] && e.Exchange != 0 || ids[e.Conn] && e.Server == serverChild)
		if mine {
			text := string(e.Message)
			out = append(out, entry{e.At, fmt.Sprintf("wire %s %s %s (replica %s): %s", e.Server, e.Dir, e.Conn, e.Replica, text[:min(len(text), 300)])})
		}
	}
	return out
}

func (s *suite) messagesOf(e *evidence, q *question) []entry {
	var out []entry
	threads := map[string]bool{}
	add := func(what string, c card) {
		for i, d := range c.drawn {
			verb := "redrawn"
			if i == 0 {
				verb = "posted"
			}
			state := "no buttons"
			if d.open {
				state = "buttons"
			}
			out = append(out, entry{d.at, fmt.Sprintf("Slack: %s %s %s (%s): %s", what, c.ts, verb, state, oneLine(d.text))})
		}
	}
	for _, c := range e.board.cardsOf(q.nonce) {
		add("card", c)
		threads[c.thread] = true
		if h, ok := e.board.heading(c.thread); ok {
			add("heading", h)
		}
	}
	if h, ok := e.board.headingOf(q); ok && len(threads) == 0 {
		add("heading", h)
		threads[h.ts] = true
	}
	for _, m := range e.messages {
		if threads[m.ThreadTS] && !strings.Contains(m.TS, " ") {
			known := false
			for _, c := range e.board.cardsOf(q.nonce) {
				known = known || c.ts == m.TS
			}
			if !known {
				out = append(out, entry{tsTime(m.TS), "Slack: reply: " + oneLine(m.Text)})
			}
		}
	}
	return out
}

func tsTime(ts string) time.Time {
	var sec, micro int64
	if _, err := fmt.Sscanf(ts, "%d.%d", &sec, &micro); err != nil {
		return time.Time{}
	}
	return time.Unix(sec, micro*1000)
}

// logsOf finds what the replicas logged of a question, by the time stamp of
// its messages and the ids that stand beside them.
func (s *suite) logsOf(e *evidence, q *question) []entry {
	ids := map[string]bool{}
	for _, c := range e.board.cardsOf(q.nonce) {
		ids[c.ts], ids[c.thread] = true, true
	}
	var out []entry
	for range 2 { // the first pass learns the ids
		out = nil
		for _, r := range s.fleet.all {
			f, err := os.Open(r.log)
			if err != nil {
				continue
			}
			sc := bufio.NewScanner(f)
			sc.Buffer(nil, 1<<20)
			for sc.Scan() {
				var m map[string]any
				if json.Unmarshal(sc.Bytes(), &m) != nil {
					continue
				}
				mine := false
				for _, key := range []string{"message_ts", "call_id", "pending_id"} {
					id, _ := m[key].(string)
					mine = mine || id != "" && ids[id]
				}
				if !mine {
					continue
				}
				for _, key := range []string{"call_id", "pending_id"} {
					if id, _ := m[key].(string); id != "" {
						ids[id] = true
					}
				}
				stamp, _ := m["time"].(string)
				at, err := time.Parse(time.RFC3339Nano, stamp)
				if err == nil {
					out = append(out, entry{at, fmt.Sprintf("    [log of %s: %v; pending %v, reason %v, err %v]", r.name, m["msg"], m["pending_id"], m["reason"], m["err"])})
				}
			}
			_ = f.Close()
		}
	}
	return out
}
