---Waits until the user has neither typed nor begun a command for a while.
local config = require('agentfs.config')
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('agentfs.idle')
local last_key = 0
local marked, has_paused = 0, true
---@type uv.uv_timer_t?
local timer
---@type table<string, fun()>
local waiting = {}

local function now()
  return vim.uv.hrtime() / 1e6
end

---Whether nothing is being typed, selected, or asked.
function M.is_calm()
  return vim.api.nvim_get_mode().mode == 'n'
    and not vim.api.nvim_get_mode().blocking
    and vim.fn.getcmdwintype() == ''
    and vim.fn.reg_recording() == ''
    and vim.fn.getcmdtype() == ''
end

---How long ago the last key was pressed, in ms.
function M.since_key()
  return now() - last_key
end

---From now on the user counts as typing, until no key came for a while.
function M.expect_pause()
  marked, has_paused = now(), false
end

---Whether a pause came since then.
function M.has_paused()
  return has_paused
end

local function check()
  if not (M.is_calm() and M.since_key() >= config.values.idle_ms) then
    return
  end
  local due = waiting
  waiting = {}
  if timer then
    timer:stop()
  end
  for _, run in pairs(due) do
    run()
  end
end

---Run this once the user pauses; instead of what waits by the same name.
---@param name string
---@param run fun()
function M.run(name, run)
  waiting[name] = run
  if timer and not timer:is_active() then
    timer:start(50, 50, vim.schedule_wrap(check))
  end
end

function M.setup()
  last_key = 0
  timer = timer or assert(vim.uv.new_timer())
  vim.on_key(function()
    local at = now()
    has_paused = has_paused or at - math.max(last_key, marked) >= config.values.guard_ms
    last_key = at
  end, NAMESPACE)
end

function M.stop()
  waiting = {}
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

return M
