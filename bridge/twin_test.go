package bridge_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slackbridge/slackbridge/blockkit"
	"github.com/slackbridge/slackbridge/elicit"
)

// A card of which nothing was heard is posted again, and then it stands twice.
func TestTwinCards_NoneKeepsItsButtonsWhicheverIsClickedFirst(t *testing.T) {
	first, second := elicit.MessageRef{Channel: "C1", TS: "1.2"}, elicit.MessageRef{Channel: "C1", TS: "1.3"}
	for _, c := range []struct {
		name   string
		before bool // the click comes before the second one is posted
		click  elicit.MessageRef
		then   elicit.MessageRef // clicked later; zero: none
		want   map[string]string
	}{
		{"the first, before the second stands", true, first, elicit.MessageRef{}, map[string]string{"1.2": "Declined by", "1.3": "asked once more"}},
		{"the first, then the second", false, first, second, map[string]string{"1.2": "asked once more", "1.3": "Declined by"}},
		{"the second, then the first", false, second, first, map[string]string{"1.2": "asked once more", "1.3": "Declined by"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, r *rig) {
				r.slack.unheard = first.TS
				r.run()
				if !c.before {
					time.Sleep(2 * time.Second) // the bubble's
					synctest.Wait()
				}
				id := string(r.pending().ID)
				r.clickOn(ann, blockkit.ActionDecline, id, c.click)
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if !c.then.IsZero() {
					r.clickOn(ann, blockkit.ActionDecline, id, c.then)
				}
				r.wantAnswers("decline")
				for ts, want := range c.want {
					if got := r.slack.lastUpdate(ts); !strings.Contains(got, want) {
						t.Errorf("the card %s says %q, want %q", ts, got, want)
					}
				}
			})
		})
	}
}
