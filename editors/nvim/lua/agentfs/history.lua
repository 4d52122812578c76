---The changes that landed: lists them, shows what they did, and proposes to undo them.
local client = require('agentfs.client')
local notice = require('agentfs.notice')
local scratch = require('agentfs.scratch')
local server = require('agentfs.server')
local text = require('agentfs.text')
local M = {}

local LIMIT = 200
---@type table[] as listed last
local changes = {}

---@return string[]
function M.ids()
  return vim.tbl_map(function(change)
    return change.change_id
  end, changes)
end

---@param params table
---@param use fun(data: table)
local function ask(params, use)
  local found = server.here()
  if not found then
    return
  end
  client.request(found, 'agentfs/userHistory', params, function(err, answer)
    if err or answer.status == 'error' then
      return notice.warn(err and err.message or answer.text)
    end
    use(answer.data)
  end)
end

---@param change table
---@return string
local function line_of(change)
  local paths = {}
  for _, file in ipairs(change.files) do
    local counts = file.lines_added and (' +%d/-%d'):format(file.lines_added, file.lines_removed) or ''
    table.insert(paths, text.line(file.path) .. counts)
  end
  local agent = change.agent ~= '' and text.line(change.agent, 20) or '-'
  local unsaved = change.landing == 'editor' and ' (unsaved)' or ''
  return ('%s  %s  %s  %s%s  %s'):format(
    change.time:sub(1, 16):gsub('T', ' '),
    agent,
    change.tool,
    change.decision,
    unsaved,
    table.concat(paths, ', ')
  )
end

---The diff of a change, file by file.
---@param change table with texts
---@return string[]
function M.diff(change)
  local lines = { ('# %s  %s'):format(change.change_id, text.line(change.explanation or '')) }
  for _, file in ipairs(change.files) do
    local name = text.line(file.path)
    table.insert(lines, ('--- a/%s'):format(name))
    table.insert(lines, ('+++ b/%s'):format(name))
    local diff = vim.diff(file.before_text or '', file.after_text or '', { algorithm = 'histogram' }) --[[@as string]]
    for _, line in ipairs(vim.split(vim.trim(diff), '\n')) do
      table.insert(lines, text.code(line))
    end
  end
  return lines
end

---The change in the line of the cursor.
local function here()
  return changes[vim.api.nvim_win_get_cursor(0)[1] - 1]
end

---@param change table?
local function show(change)
  if change then
    ask({ change_id = change.change_id, texts = true }, function(data)
      scratch.show('diff', M.diff(data.changes[1]), { height = 16, syntax = 'diff' })
    end)
  end
end

---List the changes that landed, newest first.
---@param path? string
function M.list(path)
  ask({ path = path, limit = LIMIT }, function(data)
    changes = data.changes
    if #changes == 0 then
      return notice.tell('no change has landed.')
    end
    local lines = { '<CR> diff · u undo · q close' }
    vim.list_extend(lines, vim.tbl_map(line_of, changes))
    local buffer = scratch.show('history', lines)
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
    for key, act in pairs({ ['<CR>'] = show, u = M.undo_change }) do
      vim.keymap.set('n', key, function()
        act(here())
      end, { buffer = buffer, nowait = true, desc = 'agentfs: ' .. key })
    end
  end)
end

---Propose to undo a change.
---@param change table?
function M.undo_change(change)
  if not change then
    return
  end
  client.request(server.here(), 'agentfs/userUndo', { change_id = change.change_id }, function(err, answer)
    local said = err and err.message or answer.text
    local failed = err or answer.status == 'error'
    notice.tell(said, failed and vim.log.levels.WARN or vim.log.levels.INFO)
  end)
end

---Propose to undo the change with this id, or the last one.
---@param id? string
function M.undo(id)
  if id then
    return M.undo_change({ change_id = id })
  end
  ask({ limit = 1 }, function(data)
    if not data.changes[1] then
      return notice.tell('no change has landed.')
    end
    M.undo_change(data.changes[1])
  end)
end

return M
