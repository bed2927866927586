package correlate

import "github.com/redis/go-redis/v9"

// All times inside the scripts are Redis's own, in milliseconds: the clocks of
// the replicas decide nothing.
const luaNow = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

// createScript stores a pending unless its id is taken. An attempt that is made
// again, because the connection broke before its outcome came back, finds its
// own record: same call, same owner, same moment.
//
// KEYS: pending, expiry, what the owner holds, nudges. ARGV: deadline in ms,
// seconds to keep the record after it, id, when to remind and to escalate in ms
// (” for never), then field, value, ….
var createScript = redis.NewScript(luaNow + `
local fields, new = {}, {}
for i = 6, #ARGV, 2 do new[ARGV[i]] = ARGV[i + 1] end
if redis.call('EXISTS', KEYS[1]) == 1 then
  local old = redis.call('HMGET', KEYS[1], 'call', 'owner', 'created')
  if old[1] == new['call'] and old[2] == new['owner'] and old[3] == new['created'] then return 1 end
  return 0
end
for i = 6, #ARGV do fields[#fields + 1] = ARGV[i] end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIREAT', KEYS[1], ARGV[1] + ARGV[2] * 1000)
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[1] + ARGV[2] * 1000, ARGV[3])
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[4], ARGV[4], 'remind ' .. ARGV[3]) end
if ARGV[5] ~= '' then redis.call('ZADD', KEYS[4], ARGV[5], 'escalate ' .. ARGV[3]) end
return 1
`)

// decideScript is the one place where a pending is settled. The first writer
// wins; everybody else reads what stands. Whoever comes after the deadline with
// anything but an expiry settles the pending as expired, and loses. One attempt
// may arrive twice, when the connection broke before its outcome came back: by
// its token it is known to be the one that won.
//
// A question of the blocking era stays with its owner until its answer was
// delivered, so that the others can say so when the owner dies in between.
//
// KEYS: pending, expiry, owner's stream, resume stream, what the owner holds,
// undrawn, nudges. ARGV: id, action, reason, responder team, responder id, state
// after it, sealed answer, "1" when only due pendings are meant (expiry), token
// of the attempt, milliseconds until the card must be drawn, "1" when it is one
// approval of as many as the record needs, by distinct people.
// Returns {found, outcome, record as it now stands}; outcome is 1 when this
// attempt won, 2 when it is an approval that counts and others are needed.
var decideScript = redis.NewScript(luaNow + `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[5], ARGV[1])
  return {0, 0, {}}
end
if state ~= 'pending' then
  local again = 0
  if redis.call('HGET', KEYS[1], 'attempt') == ARGV[9] then again = 1 end
  return {1, again, redis.call('HGETALL', KEYS[1])}
end
local function vote()
  local n = tonumber(redis.call('HGET', KEYS[1], 'votes') or '0')
  for i = 1, n do
    local v = redis.call('HMGET', KEYS[1], 'vote_team_' .. i, 'vote_user_' .. i, 'vote_attempt_' .. i)
    if v[1] == ARGV[4] and v[2] == ARGV[5] then
      if v[3] == ARGV[9] then return 2 end
      return 0
    end
  end
  n = n + 1
  redis.call('HSET', KEYS[1], 'votes', n, 'vote_team_' .. n, ARGV[4], 'vote_user_' .. n, ARGV[5],
    'vote_at_' .. n, now, 'vote_attempt_' .. n, ARGV[9])
  if n < tonumber(redis.call('HGET', KEYS[1], 'needs') or '0') then return 2 end
  return 1
end
local deadline = tonumber(redis.call('HGET', KEYS[1], 'deadline'))
local action, reason, team, user, after, answer = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local won = 1
if now >= deadline then
  if reason ~= 'expired' then won = 0 end
  action, reason, team, user, after, answer = 'cancel', 'expired', '', '', 'decided', ''
  -- Whoever opened the page has agreed: only the word that it is done is missing.
  local opener = redis.call('HMGET', KEYS[1], 'opened_team', 'opened_by')
  if opener[2] then action, reason, team, user = 'accept', 'submitted', opener[1], opener[2] end
elseif ARGV[8] == '1' then
  return {1, 0, redis.call('HGETALL', KEYS[1])}
elseif ARGV[11] == '1' then
  local counted = vote()
  if counted ~= 1 then return {1, counted, redis.call('HGETALL', KEYS[1])} end
end
redis.call('HSET', KEYS[1], 'state', after, 'action', action, 'reason', reason,
  'responder_team', team, 'responder', user, 'decided_at', now)
if won == 1 then redis.call('HSET', KEYS[1], 'attempt', ARGV[9]) end
if answer ~= '' then redis.call('HSET', KEYS[1], 'answer', answer) end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[7], 'remind ' .. ARGV[1], 'escalate ' .. ARGV[1])
redis.call('ZADD', KEYS[6], now + ARGV[10], ARGV[1])
local durable = redis.call('HGET', KEYS[1], 'era') == 'durable'
if durable or after ~= 'decided' then redis.call('ZREM', KEYS[5], ARGV[1]) end
local stream = KEYS[3]
if durable then stream = KEYS[4] end
redis.call('XADD', stream, 'MAXLEN', '~', 100000, '*', 'id', ARGV[1])
return {1, won, redis.call('HGETALL', KEYS[1])}
`)

// openScript records, once, who opened the page that a pending asks for.
//
// KEYS: pending. ARGV: team and id of the person.
// Returns {found, 0, record as it now stands}.
var openScript = redis.NewScript(luaNow + `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return {0, 0, {}} end
if state == 'pending' and redis.call('HEXISTS', KEYS[1], 'opened_by') == 0 then
  redis.call('HSET', KEYS[1], 'opened_team', ARGV[1], 'opened_by', ARGV[2], 'opened_at', now)
end
return {1, 0, redis.call('HGETALL', KEYS[1])}
`)

// finishScript moves a decided pending to its last state and deletes what was
// answered. An owner that was only suspended may deliver what the others took
// for lost: what reached the server is the truth.
//
// KEYS: pending, what the owner holds, undrawn. ARGV: state, reason or ”, id,
// milliseconds until a changed card must be drawn.
var finishScript = redis.NewScript(luaNow + `
redis.call('ZREM', KEYS[2], ARGV[3])
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 0 end
redis.call('HDEL', KEYS[1], 'answer')
local revived = state == 'lost' and ARGV[1] == 'delivered' and redis.call('HGET', KEYS[1], 'lost_because') == 'owner_lost'
if state == 'decided' or revived then
  redis.call('HSET', KEYS[1], 'state', ARGV[1])
  if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'lost_because', ARGV[2]) end
  if ARGV[1] == 'lost' or revived then redis.call('ZADD', KEYS[3], now + ARGV[4], ARGV[3]) end
end
return 1
`)

// placedScript records where a card stands in a record that exists and has no
// card yet, and never makes a record.
//
// KEYS: pending. ARGV: channel, ts.
// Returns the channel and ts that stand, or nothing when there is no record.
var placedScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local ts = redis.call('HGET', KEYS[1], 'card_ts')
if not ts or ts == '' then
  redis.call('HSET', KEYS[1], 'card_channel', ARGV[1], 'card_ts', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'card_channel', 'card_ts')
`)
