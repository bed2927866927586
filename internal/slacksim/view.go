package slacksim

import (
	"slices"

	"github.com/slackbridge/slackbridge/internal/slackrules"
)

// maxDepth is how many views a modal may have on top of each other.
const maxDepth = 3

// view is an open modal view, or the Home tab of a user.
type view struct {
	id, hash   string
	user       string
	source     object // as the app sent it, texts escaped, ids filled in
	blocks     []any
	state      state
	errors     map[string]string // by block id: what stands under the fields
	banner     string
	root, prev string
}

// stack is one modal of a user: the views on top of each other. A user with
// two clients, or after a double click, may have several.
type stack struct {
	user  string
	views []*view
}

func (k *stack) top() *view { return k.views[len(k.views)-1] }

func (s *Sim) viewsOpen(in args) answer {
	source, refused := s.viewArgument(in, slackrules.CheckView)
	if refused != nil {
		return *refused
	}
	t, refused := s.takeTrigger(in)
	if refused != nil {
		return *refused
	}
	if s.externalTaken(str(source, "external_id"), nil) {
		return bad("duplicate_external_id")
	}
	v := s.newView(t.user, source)
	v.root = v.id
	s.stacks[t.user] = append(s.stacks[t.user], &stack{user: t.user, views: []*view{v}})
	s.change()
	return good(object{"view": s.wireView(v, everyBlock)})
}

func (s *Sim) viewsPush(in args) answer {
	source, refused := s.viewArgument(in, slackrules.CheckView)
	if refused != nil {
		return *refused
	}
	t, refused := s.takeTrigger(in)
	if refused != nil {
		return *refused
	}
	if t.stack == nil {
		return bad("invalid_trigger_id") // only an element of an open modal may push
	}
	v, code := s.push(t.stack, source)
	if code != "" {
		return bad(code)
	}
	return good(object{"view": s.wireView(v, everyBlock)})
}

// push puts a view on top of a modal that is open.
func (s *Sim) push(k *stack, source object) (*view, string) {
	switch {
	case !slices.Contains(s.stacks[k.user], k):
		return nil, "not_found"
	case len(k.views) >= maxDepth:
		return nil, "push_limit_reached"
	case s.externalTaken(str(source, "external_id"), nil):
		return nil, "duplicate_external_id"
	}
	v := s.newView(k.user, source)
	v.root, v.prev = k.views[0].id, k.top().id
	k.views = append(k.views, v)
	s.change()
	return v, ""
}

func (s *Sim) viewsUpdate(in args) answer {
	source, refused := s.viewArgument(in, slackrules.CheckView)
	if refused != nil {
		return *refused
	}
	if !in.has("view_id") && !in.has("external_id") {
		return missing("view_id")
	}
	v := s.openView(func(v *view) bool {
		if in.has("view_id") {
			return v.id == in.str("view_id")
		}
		return str(v.source, "external_id") == in.str("external_id")
	})
	switch {
	case v == nil:
		return bad("not_found")
	case in.has("hash") && in.str("hash") != v.hash:
		return bad("hash_conflict")
	case s.externalTaken(str(source, "external_id"), v):
		return bad("duplicate_external_id")
	}
	s.replace(v, source)
	return good(object{"view": s.wireView(v, everyBlock)})
}

func (s *Sim) viewsPublish(in args) answer {
	source, refused := s.viewArgument(in, slackrules.CheckHome)
	if refused != nil {
		return *refused
	}
	if u, ok := s.user(in.str("user_id")); !ok || u.Deleted {
		return bad("user_not_found")
	}
	old := s.homes[in.str("user_id")]
	if in.has("hash") && (old == nil || in.str("hash") != old.hash) {
		return bad("hash_conflict")
	}
	if s.externalTaken(str(source, "external_id"), old) {
		return bad("duplicate_external_id")
	}
	if old == nil {
		old = s.newView(in.str("user_id"), source)
		s.homes[old.user] = old
		s.change()
	} else {
		s.replace(old, source)
	}
	return good(object{"view": s.wireView(old, everyBlock)})
}

// viewArgument reads and checks the argument "view".
func (s *Sim) viewArgument(in args, check func([]byte) []slackrules.Violation) (object, *answer) {
	if !in.has("view") {
		a := missing("view")
		return nil, &a
	}
	raw := in.value("view")
	if found := check(raw); len(found) > 0 {
		a := refuseView(found)
		return nil, &a
	}
	source, _ := decode(raw).(object)
	return source, nil
}

// newView makes a view that is not shown yet.
func (s *Sim) newView(user string, source object) *view {
	v := &view{id: "V" + s.token(5), user: user}
	s.load(v, source)
	return v
}

// replace shows other content in v; what stands in fields with the same ids stays.
func (s *Sim) replace(v *view, source object) {
	s.load(v, source)
	v.errors, v.banner = nil, ""
	s.change()
}

func (s *Sim) load(v *view, source object) {
	v.hash = s.newTS() + "." + s.token(4)
	v.source, _ = escaped(source).(object)
	v.blocks = items(v.source, "blocks")
	s.nameBlocks(v.blocks)
	v.state = newState(v.blocks, v.state)
}

// openView finds a view that is open for anybody; nil when there is none.
func (s *Sim) openView(is func(*view) bool) *view {
	for _, stacks := range s.stacks {
		for _, k := range stacks {
			if i := slices.IndexFunc(k.views, is); i >= 0 {
				return k.views[i]
			}
		}
	}
	return nil
}

// externalTaken reports whether another open view or Home tab of the team has
// that external_id. A closed view gives its id back.
func (s *Sim) externalTaken(id string, own *view) bool {
	if id == "" {
		return false
	}
	taken := func(v *view) bool { return v != own && str(v.source, "external_id") == id }
	for _, h := range s.homes {
		if taken(h) {
			return true
		}
	}
	return s.openView(taken) != nil
}

// stackOf returns the modal that shows v; nil when it is closed.
func (s *Sim) stackOf(v *view) *stack {
	for _, k := range s.stacks[v.user] {
		if slices.Contains(k.views, v) {
			return k
		}
	}
	return nil
}

// closeStack takes a modal away.
func (s *Sim) closeStack(k *stack) {
	s.stacks[k.user] = slices.DeleteFunc(s.stacks[k.user], func(o *stack) bool { return o == k })
	s.change()
}

// closeTop takes the top view away, and the modal with its last one.
func (s *Sim) closeTop(k *stack) {
	if len(k.views) == 1 {
		s.closeStack(k)
		return
	}
	k.views = k.views[:len(k.views)-1]
	s.change()
}

// wireView is v as answers and payloads show it; keep chooses the blocks whose
// values are included.
func (s *Sim) wireView(v *view, keep func(blockID string) bool) object {
	o := object{
		"id": v.id, "team_id": s.space.TeamID, "app_id": s.space.AppID, "bot_id": s.space.BotID,
		"app_installed_team_id": s.space.TeamID, "hash": v.hash, "root_view_id": v.root, "previous_view_id": nil,
		"private_metadata": "", "callback_id": "", "external_id": "",
		"close": nil, "submit": nil, "clear_on_close": false, "notify_on_close": false,
		"state": object{"values": v.state.values(keep)},
	}
	for name, value := range v.source {
		o[name] = value
	}
	if v.prev != "" {
		o["previous_view_id"] = v.prev
	}
	return o
}
