package slacksim

import (
	"io"
	"net/http"
	"time"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// Limits of a response_url.
const (
	responseUses = 5
	responseLife = 30 * time.Minute
)

// responseURL lets the app answer an interaction without being in the channel.
type responseURL struct {
	channel string
	user    string
	source  *message // the message that was clicked; nil for a slash command
	born    time.Time
	uses    int
}

// newResponseURL gives out a response_url. The mutex is held.
func (s *Sim) newResponseURL(user, channel string, source *message) string {
	id := s.token(16)
	s.responses[id] = &responseURL{channel: channel, user: user, source: source, born: s.opt.Now()}
	return s.base + "/response/" + id
}

func (s *Sim) serveResponseURL(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.end()
	at := s.opt.Now()
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	body, _ := decode(raw).(object)
	status, text := http.StatusBadRequest, "invalid_payload"
	f := s.takeFault("response_url")
	injected, spoiled := f.answer()
	switch {
	case spoiled:
		status, text = injected.code(), str(injected.body, "error")
	case err == nil && body != nil:
		status, text = s.respond(r.PathValue("token"), body)
	}
	s.logCall(Call{Method: "response_url", Args: body, Response: encode(object{"ok": status == http.StatusOK, "error": text}), Status: status, At: at})
	if f.Drop {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	if _, err := io.WriteString(w, text); err != nil {
		s.opt.Log.Debug("answering a response_url", "err", err)
	}
}

// respond uses a response_url once.
func (s *Sim) respond(token string, body object) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.responses[token]
	switch {
	case !ok:
		return http.StatusNotFound, "no_such_url"
	case u.uses >= responseUses:
		return http.StatusNotFound, "used_url"
	case s.opt.Now().Sub(u.born) > responseLife:
		return http.StatusNotFound, "expired_url"
	}
	u.uses++
	if body["delete_original"] == true {
		if u.source != nil {
			s.remove(u.source)
		}
		return http.StatusOK, "ok"
	}
	if code := s.reply(u.channel, u.user, u.source, body); code != "" {
		return http.StatusBadRequest, code
	}
	return http.StatusOK, "ok"
}

// reply carries out a message given to a response_url or in the answer to a
// slash command. The mutex is held.
func (s *Sim) reply(channel, user string, source *message, body object) string {
	content := object{}
	for _, name := range []string{"text", "blocks", "attachments"} {
		if v, ok := body[name]; ok {
			content[name] = v
		}
	}
	if found := slackrules.CheckMessage(encode(content)); len(found) > 0 {
		return str(refuseMessage(found).body, "error")
	}
	in := args{"text": encode(str(body, "text")), "blocks": encode(body["blocks"])}
	if body["replace_original"] == true && source != nil {
		s.fill(source, in)
		source.edited = source.edited || len(source.blocks) == 0
		s.change()
		return ""
	}
	m := &message{channel: channel, author: s.space.BotUserID, bot: true}
	s.fill(m, in)
	if str(body, "response_type") == "in_channel" {
		if thread := str(body, "thread_ts"); thread != "" && body["replace_original"] == false {
			if code := s.joinThread(m, thread); code != "" {
				return code
			}
		}
	} else {
		m.ephemeral = user // thread_ts is ignored for these
	}
	s.add(m)
	return ""
}
