package slacksim

import "time"

// trigger allows one use of views.open or views.push, for a short time.
type trigger struct {
	user  string
	born  time.Time
	used  bool
	stack *stack // the modal it came from; nil outside of modals
}

// newTrigger gives out a trigger_id. The mutex is held.
func (s *Sim) newTrigger(user string, from *stack) string {
	id := s.token(6) + "." + s.token(6) + "." + s.token(16)
	s.triggers[id] = &trigger{user: user, born: s.opt.Now(), stack: from}
	return id
}

// takeTrigger uses up a trigger_id, or says why it cannot be used.
func (s *Sim) takeTrigger(in args) (*trigger, *answer) {
	fail := func(a answer) (*trigger, *answer) { return nil, &a }
	if in.str("trigger_id") == "" {
		return fail(missing("trigger_id"))
	}
	t, ok := s.triggers[in.str("trigger_id")]
	switch {
	case !ok:
		return fail(bad("invalid_trigger_id"))
	case t.used:
		return fail(bad("exchanged_trigger_id"))
	case s.opt.Now().Sub(t.born) > s.opt.TriggerLife:
		return fail(bad("expired_trigger_id"))
	}
	t.used = true
	return t, nil
}
