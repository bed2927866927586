package slacksim

import (
	"context"
	"fmt"
)

// PressInModal presses the button with that label in the person's modal, and
// the confirming button of its dialog when it has one.
func (p *Person) PressInModal(ctx context.Context, label string) error {
	p.sim.mu.Lock()
	v, err := p.frontView()
	p.sim.mu.Unlock()
	if err != nil {
		return err
	}
	return p.pressIn(ctx, v, label)
}

func (p *Person) pressIn(ctx context.Context, v *view, label string) error {
	s := p.sim
	s.mu.Lock()
	sl, err := s.rendererFor(p.id).button(v.blocks, label)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	post := s.viewAction(v, sl)
	p.follow(sl)
	s.mu.Unlock()
	return s.act(ctx, v, post)
}

// act delivers what was done in a view.
func (s *Sim) act(ctx context.Context, v *view, post parcel) error {
	if _, err := s.deliver(ctx, post); err != nil {
		return s.connectError(v, "an action in the view was not acknowledged: "+err.Error())
	}
	return nil
}

// connectError shows the client's generic error in v.
func (s *Sim) connectError(v *view, why string) error {
	s.trouble("%s", why)
	s.mu.Lock()
	defer s.mu.Unlock()
	v.banner = ConnectError
	s.change()
	return ClientError(ConnectError)
}

// CloseModal presses the close button of the view in front: it goes, or, with
// clear_on_close, all of the modal. The app hears of it only when the view has
// notify_on_close.
func (p *Person) CloseModal(ctx context.Context) error {
	p.sim.mu.Lock()
	v, err := p.frontView()
	whole := err == nil && v.source["clear_on_close"] == true
	p.sim.mu.Unlock()
	if err != nil {
		return err
	}
	return p.leave(ctx, v, whole)
}

// CloseStack closes the whole modal, whatever is on top of it. The app hears of
// the view in front, with is_cleared set.
func (p *Person) CloseStack(ctx context.Context) error {
	p.sim.mu.Lock()
	v, err := p.frontView()
	p.sim.mu.Unlock()
	if err != nil {
		return err
	}
	return p.leave(ctx, v, true)
}

func (p *Person) leave(ctx context.Context, v *view, whole bool) error {
	s := p.sim
	s.mu.Lock()
	k := s.stackOf(v)
	if k == nil {
		s.mu.Unlock()
		return ClientError("no modal is open")
	}
	post := s.viewClosed(v, whole)
	if whole {
		s.closeStack(k)
	} else {
		s.closeTop(k)
	}
	s.mu.Unlock()
	if v.source["notify_on_close"] != true {
		return nil
	}
	if _, err := s.deliver(ctx, post); err != nil {
		s.trouble("view_closed was not acknowledged: %v", err) // the person sees nothing of it
	}
	return nil
}

// OpenHome opens the app's Home tab; the app hears of it.
func (p *Person) OpenHome() {
	s := p.sim
	s.mu.Lock()
	dm := s.direct(p.id).ID
	event := object{"type": "app_home_opened", "user": p.id, "channel": dm, "tab": "home", "event_ts": s.newTS()}
	if v := s.homes[p.id]; v != nil {
		event["view"] = s.payloadView(v, everyBlock)
	}
	s.mu.Unlock()
	s.sendEvent(event)
}

// Home returns the published Home tab of the person.
func (p *Person) Home() (Modal, bool) {
	s := p.sim
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.homes[p.id]
	if v == nil {
		return Modal{}, false
	}
	return p.showView(v), true
}

// PressInHome presses the button with that label on the Home tab.
func (p *Person) PressInHome(ctx context.Context, label string) error {
	p.sim.mu.Lock()
	v := p.sim.homes[p.id]
	p.sim.mu.Unlock()
	if v == nil {
		return ClientError(fmt.Sprintf("%q is not there: nothing is on the Home tab", label))
	}
	return p.pressIn(ctx, v, label)
}
