package correlate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

func (k keyspace) draft(form string, who elicit.User) string {
	return k.tag() + "draft:" + form + ":" + who.Team + ":" + who.ID
}

// draftID binds a sealed draft to its form and person.
func draftID(form string, who elicit.User) string { return form + " " + who.Team + " " + who.ID }

// SaveDraft keeps what a person has entered on the pages of a form, sealed,
// for ttl at most.
func (s *Store) SaveDraft(ctx context.Context, form string, who elicit.User, draft []byte, ttl time.Duration) error {
	sealed, err := s.seal.seal(purposeDraft, draftID(form, who), draft)
	if err != nil {
		return err
	}
	if err := s.rdb.Set(ctx, s.keys.draft(form, who), sealed, max(ttl, time.Second)).Err(); err != nil {
		return fmt.Errorf("keeping the draft of form %s: %w", form, err)
	}
	return nil
}

// Draft returns it; nil when there is none.
func (s *Store) Draft(ctx context.Context, form string, who elicit.User) ([]byte, error) {
	sealed, err := s.rdb.Get(ctx, s.keys.draft(form, who)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the draft of form %s: %w", form, err)
	}
	return s.seal.open(purposeDraft, draftID(form, who), sealed)
}

// DropDraft forgets it.
func (s *Store) DropDraft(ctx context.Context, form string, who elicit.User) error {
	if err := s.rdb.Del(ctx, s.keys.draft(form, who)).Err(); err != nil {
		return fmt.Errorf("forgetting the draft of form %s: %w", form, err)
	}
	return nil
}
