---agentfs.nvim: review in Neovim what agents propose. `:help agentfs`
local client = require('agentfs.client')
local config = require('agentfs.config')
local M = {}

---Start. Calling it again, also after the plugin was loaded again, starts afresh and finds what waits.
---@param options? agentfs.Options
function M.setup(options)
  local problems = config.set(options)
  vim.api.nvim_exec_autocmds('User', { pattern = 'AgentfsUnload', modeline = false })
  require('agentfs.events').clear()
  local group = vim.api.nvim_create_augroup('agentfs', { clear = true })
  require('agentfs.highlight').setup()
  require('agentfs.idle').setup()
  require('agentfs.seen').setup()
  require('agentfs.questions').setup()
  require('agentfs.queue').setup()
  require('agentfs.requests').setup()
  require('agentfs.demo').setup()
  require('agentfs.review').setup(group)
  require('agentfs.writing').setup(group)
  require('agentfs.startup').setup(group)
  for _, problem in ipairs(problems) do
    require('agentfs.notice').warn(problem)
  end
end

---Send an agent's request: never wait for its answer in Lua, as the user decides meanwhile.
---@param method string such as `agentfs/read`
---@param params table docs/protocol.md
---@param callback? fun(answer: table) gets the envelope, also of an error
---@return fun() cancel withdraws the change
function M.request(method, params, callback)
  return require('agentfs.requests').send(method, params, callback or function() end)
end

for _, name in ipairs({ 'read', 'write', 'edit', 'batch', 'undo', 'history', 'tools', 'call', 'status' }) do
  M[name] = function(params, callback)
    return M.request('agentfs/' .. name, params or {}, callback)
  end
end

---What waits for you, for a status line; empty if nothing does.
---@return string
function M.statusline()
  return require('agentfs.queue').statusline()
end

---How many changes and questions wait.
---@return integer
function M.count()
  return require('agentfs.queue').count()
end

---The changes that wait, without their texts.
---@return table[]
function M.pending()
  local proposals = require('agentfs.proposals')
  return vim.tbl_map(proposals.described, proposals.waiting())
end

---Review a change.
---@param id? string
function M.review(id)
  require('agentfs.queue').review(id)
end

M.client = client.current

return M
