---Whether everything works: one screen, which `:checkhealth agentfs` shows too.
local client = require('agentfs.client')
local config = require('agentfs.config')
local install = require('agentfs.install')
local queue = require('agentfs.queue')
local text = require('agentfs.text')
local M = {}

---@class agentfs.Check
---@field level 'ok'|'warn'|'error'|'info'
---@field says string
---@field hint? string

---What can be told without asking anything.
---@return agentfs.Check[]
function M.checks()
  local checks = {}
  local function add(level, says, hint)
    table.insert(checks, { level = level, says = says, hint = hint })
  end
  local fits = vim.fn.has('nvim-0.10') == 1
  add(
    fits and 'ok' or 'error',
    'Neovim ' .. tostring(vim.version()),
    not fits and 'Neovim 0.10 or newer is needed.' or nil
  )
  local command = client.command()
  if command then
    local result =
      vim.system(vim.list_extend(vim.list_slice(command), { '--version' }), { text = true }):wait(5000)
    local works = result.code == 0
    local says = ('%s: %s'):format(
      command[1],
      text.line(vim.trim(works and result.stdout or result.stderr or ''))
    )
    add(
      works and 'ok' or 'error',
      says,
      not works and 'It does not start. Install it again: :Agentfs install' or nil
    )
  else
    local ways = vim.tbl_map(function(way)
      return way.title
    end, install.ways())
    local hint = #ways > 0 and ':Agentfs install uses ' .. table.concat(ways, ', or ')
      or 'Python 3.11 or newer is missing, and so are uv and pipx.'
    add('error', 'agentfs-lsp was not found.', hint)
  end
  local root = client.root_of(vim.fn.getcwd())
  local markers = table.concat(config.values.markers, ', ')
  if root then
    add('ok', 'workspace: ' .. text.line(vim.fn.fnamemodify(root, ':~')))
  else
    add(
      'warn',
      'This folder is in no workspace.',
      ('A workspace contains %s. :Agentfs start serves it anyway.'):format(markers)
    )
  end
  local running = client.all()
  for _, one in ipairs(running) do
    local state = client.states[one.id]
    local mode = state and (', mode %s, %d agents outside'):format(state.mode, state.agents or 0) or ''
    local buffers = vim.tbl_count(one.attached_buffers)
    add(
      'ok',
      ('server %d: %s, %d buffers%s'):format(
        one.id,
        text.line(vim.fn.fnamemodify(one.config.root_dir or '-', ':~')),
        buffers,
        mode
      )
    )
  end
  if #running == 0 then
    add('warn', 'No server runs.', command and 'Open a file of a workspace, or :Agentfs start.' or nil)
  end
  add('info', ('%d changes and questions wait.'):format(queue.count()))
  local drafts = require('agentfs.drafts').paths()
  if #drafts > 0 then
    add('info', ('Drafts: %s. :Agentfs draft shows the last.'):format(text.line(table.concat(drafts, ', '))))
  end
  return checks
end

local SIGNS = { ok = 'ok   ', warn = 'warn ', error = 'ERROR', info = '     ' }
local GROUPS = { ok = 'DiagnosticOk', warn = 'DiagnosticWarn', error = 'DiagnosticError', info = 'Normal' }

function M.show()
  local lines, groups = { 'agentfs · q close' }, { 'AgentfsTitle' }
  for _, check in ipairs(M.checks()) do
    table.insert(lines, ('%s %s'):format(SIGNS[check.level], check.says))
    table.insert(groups, GROUPS[check.level])
    if check.hint then
      table.insert(lines, '      ' .. check.hint)
      table.insert(groups, 'Comment')
    end
  end
  local buffer = require('agentfs.scratch').show('status', lines, { height = 16 })
  vim.api.nvim_win_set_height(0, math.min(vim.api.nvim_win_text_height(0, {}).all, 16))
  local namespace = vim.api.nvim_create_namespace('agentfs.status')
  for row, group in ipairs(groups) do
    vim.api.nvim_buf_set_extmark(buffer, namespace, row - 1, 0, { line_hl_group = group })
  end
end

return M
