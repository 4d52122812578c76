---The options of `setup`.
local M = {}

---Keys of a review, each in normal mode. `false` leaves a key out.
---@class agentfs.Keys
---@field accept string|false accept the change as shown
---@field reject string|false reject it, with a reason
---@field always string|false accept it, and allow the session's later changes
---@field later string|false decide later
---@field next_file string|false the next file of a batch
---@field prev_file string|false the previous one
---@field next string|false the next change that waits
---@field prev string|false the previous one

---@class agentfs.Install
---@field source? string what pip installs; without it the clone that contains this plugin, else `agentfs-lsp`

---@class agentfs.Config
---@field cmd? string[] the server's command; without it `agentfs-lsp` is looked for
---@field env? table<string, string> the server's environment, beside Neovim's own
---@field markers string[] a folder with one of these is a workspace
---@field root? fun(buffer: integer): string? the workspace of a buffer, instead of `markers`
---@field settings table the server's settings (docs/configuration.md)
---@field view 'diff'|'inline' how a change is shown
---@field open 'ask'|'auto' whether a review opens by itself once you pause
---@field advance boolean whether the next change that waits is shown after a decision
---@field notify boolean whether you are told of changes that arrive
---@field idle_ms integer how long you must not have pressed a key before anything is shown
---@field guard_ms integer how long a change must have been on the screen before a key approves it
---@field keys agentfs.Keys
---@field install agentfs.Install

---What `setup` takes: any of these.
---@class (partial) agentfs.Options: agentfs.Config
---@field keys? agentfs.Keys|table
---@field install? agentfs.Install

---@type agentfs.Config
local defaults = {
  markers = { '.git', '.hg', '.jj', '.agentfs.toml' },
  settings = {},
  view = 'diff',
  open = 'ask',
  advance = true,
  notify = true,
  idle_ms = 1000,
  guard_ms = 800,
  keys = {
    accept = 'ga',
    reject = 'gr',
    always = 'gA',
    later = 'q',
    next_file = ']f',
    prev_file = '[f',
    next = ']p',
    prev = '[p',
  },
  install = {},
}

---@type agentfs.Config
M.values = vim.deepcopy(defaults)

local ONE_OF = { view = { diff = true, inline = true }, open = { ask = true, auto = true } }
local OPTIONAL = { cmd = 'table', env = 'table', root = 'function' }

---What is wrong with these options: one sentence each.
---@param options table
---@return string[]
function M.problems(options)
  local found = {}
  for name, value in pairs(options) do
    local wanted = OPTIONAL[name] or type(defaults[name])
    if wanted == 'nil' then
      table.insert(found, ('There is no option %s.'):format(name))
    elseif type(value) ~= wanted then
      table.insert(found, ('The option %s must be a %s.'):format(name, wanted))
    elseif ONE_OF[name] and not ONE_OF[name][value] then
      local names = table.concat(vim.tbl_keys(ONE_OF[name]), ' or ')
      table.insert(found, ('The option %s must be %s.'):format(name, names))
    end
  end
  for name in pairs(type(options.keys) == 'table' and options.keys or {}) do
    if defaults.keys[name] == nil then
      table.insert(found, ('There is no key %s.'):format(name))
    end
  end
  table.sort(found)
  return found
end

---@param options? table
---@return string[] problems
function M.set(options)
  options = options or {}
  local problems = M.problems(options)
  M.values = vim.tbl_deep_extend('force', vim.deepcopy(defaults), #problems == 0 and options or {})
  return problems
end

return M
