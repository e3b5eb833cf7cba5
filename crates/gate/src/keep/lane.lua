-- A change of a lane, in one step and by the server's clock: the algorithm of Lane in Rust.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local longest, ahead, max_pause, adaptive, max_level =
  tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local names = {'free', 'at', 'gap', 'since', 'held', 'level', 'answers'}
local lane = {}
-- What is no lane is one that nobody has used.
local is_new = redis.call('TYPE', KEYS[1]).ok ~= 'hash'
if not is_new then
  for place, value in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    lane[names[place]] = tonumber(value) or nil
  end
end
for _, name in ipairs(names) do
  local value = lane[name]
  if name ~= 'answers' and (value == nil or value ~= value or value < 0 or value > 2 ^ 52) then lane[name] = 0 end
end
if lane.answers and not (lane.answers >= 0 and lane.answers <= 3600000) then lane.answers = nil end

if lane.at > now then
  local by = lane.at - now
  for _, name in ipairs({'free', 'since', 'held'}) do lane[name] = math.max(0, lane[name] - by) end
end
lane.at = now
lane.gap = math.min(lane.gap, longest)
if lane.free > now + ahead then lane.free = now + lane.gap end
lane.held = math.min(lane.held, now + max_pause)
lane.since = math.min(lane.since, now)
lane.level = math.min(lane.level, max_level)

local function slowed()
  local own = lane.gap
  if adaptive > 0 and lane.answers then own = math.max(own, lane.answers * adaptive) end
  return math.max(math.min(own * 2 ^ lane.level, longest), lane.gap)
end

local function keep()
  if is_new then redis.call('DEL', KEYS[1]) end
  for _, name in ipairs(names) do
    if lane[name] then redis.call('HSET', KEYS[1], name, string.format('%.0f', lane[name])) end
  end
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(lane.free, lane.held, now) - now + 3600000))
end

if ARGV[1] == 'take' then
  local interval, within = tonumber(ARGV[7]), tonumber(ARGV[8])
  local slot = math.max(lane.free, lane.held, now)
  local wait, held = slot - now, math.max(0, lane.held - now)
  if interval == 0 then return {wait == 0 and 1 or 0, wait, held} end
  if wait > within then return {0, wait, held} end
  lane.gap = interval
  local gap, from = slowed(), math.max(lane.free, lane.held)
  local is_prompt = slot == now and now - from <= math.min(gap / 100, 50)
  lane.free = (is_prompt and from or slot) + gap
  keep()
  return {1, wait, held}
end

if is_new then return {0, 0, 0} end
local status, pause, took = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
if adaptive > 0 and took >= 0 and status > 0 then
  lane.answers = lane.answers and math.floor((lane.answers * 3 + took) / 4) or took
  lane.free = math.max(lane.free, now - took + slowed())
end
if status == 429 or status == 503 then
  lane.level = math.min(lane.level + 1, max_level)
  lane.free = math.max(lane.free, now + slowed())
  if pause >= 0 then
    lane.since, lane.held = now, math.max(lane.held, now + math.min(pause, max_pause))
  end
elseif status > 0 and status <= 499 then
  lane.level = math.max(0, lane.level - 1)
  if status <= 399 and (took == 0 or took > 0 and now - took > lane.since) then lane.held = math.min(lane.held, now) end
end
keep()
return {0, 0, 0}
