---Tells what happens: as autocommands for users (`User AgentfsProposed`, …), and to the modules of the plugin.
local M = {}

---@type table<string, fun(data: table)[]>
local listeners = {}

---@param name string
---@param listener fun(data: table)
function M.on(name, listener)
  listeners[name] = listeners[name] or {}
  table.insert(listeners[name], listener)
end

function M.clear()
  listeners = {}
end

---@param name string such as `Proposed`
---@param data table
---@param public? table what autocommands get as `data`, if not `data`
function M.fire(name, data, public)
  for _, listener in ipairs(listeners[name] or {}) do
    listener(data)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'Agentfs' .. name, modeline = false, data = public or data })
end

return M
