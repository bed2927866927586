package correlate

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/slackbridge/slackbridge/elicit"
)

// amendScript sets fields of a pending that still waits.
//
// KEYS: pending. ARGV: field, value, ….
// Returns {found, whether it was done, record as it now stands}.
var amendScript = redis.NewScript(luaNow + `
local s = redis.call('HMGET', KEYS[1], 'state', 'deadline')
if not s[1] then return {0, 0, {}} end
local done = 0
if s[1] == 'pending' and now < tonumber(s[2]) then
  redis.call('HSET', KEYS[1], unpack(ARGV))
  done = 1
end
return {1, done, redis.call('HGETALL', KEYS[1])}
`)

// Delegate records whom a responder has asked to answer instead. It returns the
// record as it stands; done is false when it waits no more.
func (s *Store) Delegate(ctx context.Context, id elicit.PendingID, to elicit.User) (p elicit.Pending, done, found bool, err error) {
	return s.amend(ctx, id, "delegate_team", to.Team, "delegate", to.ID)
}

// Escalate records that further people may answer. It returns the record as it
// stands; done is false when it waits no more.
func (s *Store) Escalate(ctx context.Context, id elicit.PendingID) (p elicit.Pending, done, found bool, err error) {
	return s.amend(ctx, id, "escalated", "1")
}

func (s *Store) amend(ctx context.Context, id elicit.PendingID, fields ...any) (p elicit.Pending, done, found bool, err error) {
	res, err := amendScript.Run(ctx, s.rdb, []string{s.keys.pending(id)}, fields...).Slice()
	if err != nil {
		return elicit.Pending{}, false, false, fmt.Errorf("changing pending %s: %w", id, err)
	}
	found, outcome, record, err := decided(res)
	if err != nil || !found {
		return elicit.Pending{}, false, false, err
	}
	p, err = s.decode(id, record)
	return p, outcome == 1, err == nil, err
}
