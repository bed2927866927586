package slacksim

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// answer is what a Web API method returns.
type answer struct {
	status     int           // 0 means 200
	retryAfter time.Duration // for 429
	body       object
}

func good(body object) answer {
	if body == nil {
		body = object{}
	}
	body["ok"] = true
	return answer{body: body}
}

func bad(code string) answer { return answer{body: object{"ok": false, "error": code}} }

// missing is how Slack names an argument that is not there.
func missing(name string) answer {
	return invalidArguments([]string{"[ERROR] missing required field: " + name})
}

func invalidArguments(messages []string) answer {
	a := bad("invalid_arguments")
	a.body["response_metadata"] = object{"messages": messages}
	return a
}

func limited(wait time.Duration) answer {
	a := bad("ratelimited")
	a.status, a.retryAfter = http.StatusTooManyRequests, wait
	return a
}

func (s *Sim) serveAPI(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	defer s.end()
	name, at := r.PathValue("method"), s.opt.Now()
	in, token, err := readArgs(r)
	f := s.takeFault(name)
	if f.Delay > 0 {
		wait := time.NewTimer(f.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	}
	out, injected := f.answer()
	switch {
	case injected:
	case err != nil:
		out = bad("invalid_json")
	default:
		out = s.call(name, token, in)
	}
	raw := encode(out.body)
	s.logCall(Call{Method: name, Args: in.decoded(), Response: json.RawMessage(raw), Status: out.code(), At: at})
	if f.Drop {
		panic(http.ErrAbortHandler)
	}
	if out.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(out.retryAfter.Seconds()))))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(out.code())
	if _, err := w.Write(raw); err != nil {
		s.opt.Log.Debug("answering a Web API call", "method", name, "err", err)
	}
}

func (a answer) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

// call runs one method. It is atomic: the mutex is held throughout.
func (s *Sim) call(name, token string, in args) answer {
	method, known := s.method(name)
	if !known {
		return bad("unknown_method")
	}
	if code := authorise(name, token); code != "" {
		return bad(code)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return method(in)
}

// authorise returns an error code when the token is not the one for the method.
func authorise(name, token string) string {
	switch {
	case token == "":
		return "not_authed"
	case token != botToken && token != appToken:
		return "invalid_auth"
	case (token == appToken) != (name == "apps.connections.open"):
		return "not_allowed_token_type"
	default:
		return ""
	}
}

func (s *Sim) method(name string) (func(args) answer, bool) {
	switch name {
	case "auth.test":
		return s.authTest, true
	case "apps.connections.open":
		return s.connectionsOpen, true
	case "chat.postMessage":
		return s.postMessage, true
	case "chat.postEphemeral":
		return s.postEphemeral, true
	case "chat.update":
		return s.updateMessage, true
	case "chat.delete":
		return s.deleteMessage, true
	case "reactions.add":
		return s.addReaction, true
	case "views.open":
		return s.viewsOpen, true
	case "views.push":
		return s.viewsPush, true
	case "views.update":
		return s.viewsUpdate, true
	case "views.publish":
		return s.viewsPublish, true
	case "conversations.open":
		return s.conversationsOpen, true
	case "conversations.info":
		return s.conversationsInfo, true
	case "conversations.members":
		return s.conversationsMembers, true
	case "users.info":
		return s.usersInfo, true
	case "usergroups.users.list":
		return s.usergroupUsers, true
	case "blocks.validate":
		return s.validateBlocks, true
	default:
		return nil, false
	}
}

func (s *Sim) authTest(args) answer {
	bot, _ := s.user(s.space.BotUserID)
	return good(object{
		"url": "https://" + s.space.Domain + ".slack.com/", "team": s.space.TeamName, "team_id": s.space.TeamID,
		"user": bot.Name, "user_id": bot.ID, "bot_id": s.space.BotID, "is_enterprise_install": false,
	})
}

// validateBlocks is a dry run of the checks; it takes exactly one payload.
func (s *Sim) validateBlocks(in args) answer {
	var found []slackrules.Violation
	given := 0
	for _, name := range []string{"blocks", "message", "view"} {
		if !in.has(name) {
			continue
		}
		given++
		switch name {
		case "blocks":
			found = slackrules.CheckMessage(encode(object{"blocks": in.value(name)}))
		case "message":
			found = slackrules.CheckMessage(in.value(name))
		case "view":
			found = slackrules.CheckView(in.value(name))
		}
	}
	if given != 1 {
		return invalidArguments([]string{"[ERROR] must provide exactly one of `blocks`, `view`, or `message`"})
	}
	if len(found) == 0 {
		return good(nil)
	}
	out := bad("invalid_blocks")
	var errs []any
	for _, v := range found {
		errs = append(errs, object{"code": "failed_constraint", "message": v.Message, "pointer": v.Pointer, "constraint": object{"rule": v.Rule}})
	}
	out.body["errors"] = errs
	return out
}

// refuseMessage turns violations into the answer of the chat methods.
func refuseMessage(found []slackrules.Violation) answer {
	var texts, messages []string
	for _, v := range found {
		switch {
		case v.Rule == slackrules.RuleNoText, v.Rule == slackrules.RuleSize:
			return bad(v.Message)
		case v.Rule == slackrules.RuleFormat && v.Pointer == "/blocks":
			return bad("invalid_blocks_format")
		case v.Rule == slackrules.RuleFormat, v.Pointer == "/text":
			return invalidArguments([]string{v.String()})
		case v.Pointer == "/attachments":
			return bad("too_many_attachments")
		case v.Rule == slackrules.RuleConflict && v.Pointer == "/markdown_text":
			return bad(v.Message)
		}
		texts = append(texts, v.Message+" [json-pointer:"+v.Pointer+"]")
		messages = append(messages, v.String())
	}
	a := bad("invalid_blocks")
	a.body["errors"] = texts
	a.body["response_metadata"] = object{"messages": messages}
	return a
}

// refuseView turns violations into the answer of the views methods. A schema
// fault comes after a line that says no more than that there is one.
func refuseView(found []slackrules.Violation) answer {
	var messages []string
	for _, v := range found {
		if v.Rule == slackrules.RuleSize {
			return bad(v.Message)
		}
		schema := v.Rule == slackrules.RuleProperty || v.Rule == slackrules.RuleType
		if schema && len(messages) == 0 {
			messages = append(messages, "[ERROR] failed to match all allowed schemas [json-pointer:/view]")
		}
		messages = append(messages, v.String())
	}
	return invalidArguments(messages)
}
