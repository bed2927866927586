package correlate

import (
	"context"
	"fmt"
	"slices"

	"github.com/slackbridge/slackbridge/elicit"
)

// The servers whose questions a user has turned off are a set without an end:
// it holds until the user takes it back.
func (k keyspace) muted(u elicit.User) string { return k.tag() + "muted:" + u.Team + ":" + u.ID }

// Mute turns the questions of a server off for a user.
func (s *Store) Mute(ctx context.Context, u elicit.User, server string) error {
	if err := s.rdb.SAdd(ctx, s.keys.muted(u), server).Err(); err != nil {
		return fmt.Errorf("muting %s for %s: %w", server, u.ID, err)
	}
	return nil
}

// Unmute turns them on again. It reports whether they were off.
func (s *Store) Unmute(ctx context.Context, u elicit.User, server string) (bool, error) {
	n, err := s.rdb.SRem(ctx, s.keys.muted(u), server).Result()
	if err != nil {
		return false, fmt.Errorf("unmuting %s for %s: %w", server, u.ID, err)
	}
	return n > 0, nil
}

// Muted lists the servers whose questions a user has turned off, in order.
func (s *Store) Muted(ctx context.Context, u elicit.User) ([]string, error) {
	servers, err := s.rdb.SMembers(ctx, s.keys.muted(u)).Result()
	if err != nil {
		return nil, fmt.Errorf("reading what %s has muted: %w", u.ID, err)
	}
	slices.Sort(servers)
	return servers, nil
}
