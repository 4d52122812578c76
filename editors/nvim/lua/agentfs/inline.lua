---A review in the file itself: removed lines are marked, and added lines stand below them as virtual lines.
local batch = require('agentfs.batch')
local buffers = require('agentfs.buffers')
local documents = require('agentfs.documents')
local guard = require('agentfs.guard')
local keys = require('agentfs.keys')
local proposals = require('agentfs.proposals')
local seen = require('agentfs.seen')
local text = require('agentfs.text')
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('agentfs.inline')
---What a hunk may take of the window's height: it must be seen as a whole.
local PART = 0.6

---@class agentfs.InlineView: agentfs.View
---@field covered? integer the buffer that the window showed before
---@field options table<string, any> what the window's options were
---@field width integer for which the added lines were wrapped
---@field place table

---A line in pieces that fit the window: Neovim does not wrap virtual lines.
---@param line string
---@param width integer
---@return string[]
local function wrapped(line, width)
  local pieces, rest = {}, text.code(line)
  while vim.fn.strdisplaywidth(rest) > width do
    local count = width
    while vim.fn.strdisplaywidth(vim.fn.strcharpart(rest, 0, count)) > width do
      count = count - 1
    end
    table.insert(pieces, vim.fn.strcharpart(rest, 0, count))
    rest = vim.fn.strcharpart(rest, count)
  end
  table.insert(pieces, rest)
  return pieces
end

---@class agentfs.InlineHunk
---@field row integer the line, from 0 on, below which the added lines stand; -1 above the first
---@field removed integer how many lines before and at this line go
---@field added string[] in pieces

---@param file agentfs.File
---@param width integer
---@return agentfs.InlineHunk[]
local function hunks_of(file, width)
  local lines = text.lines(file.proposed_text or '')
  return vim.tbl_map(function(hunk)
    local added = {}
    for at = hunk[3], hunk[3] + hunk[4] - 1 do
      vim.list_extend(added, wrapped(lines[at] or '', width))
    end
    local last = hunk[2] > 0 and hunk[1] + hunk[2] - 2 or hunk[1] - 1
    return { row = last, removed = hunk[2], added = added }
  end, text.hunks(file.base_text or '', file.proposed_text or ''))
end

---@param win integer
---@return integer width
---@return integer height
local function room(win)
  local info = vim.fn.getwininfo(win)[1]
  return math.max(20, info.width - info.textoff), info.height
end

---@param file agentfs.File
---@param width integer
---@param height integer
local function has_room(file, width, height)
  return vim.iter(hunks_of(file, width)):all(function(hunk)
    return hunk.removed + #hunk.added <= height * PART
  end)
end

---The window that shows a buffer, or will.
---@param buffer integer
local function window_of(buffer)
  local win = vim.fn.bufwinid(buffer)
  return win ~= -1 and win or vim.api.nvim_get_current_win()
end

---Whether a change can be shown this way: one open file that is still what the agent has seen, and hunks that fit.
---@param proposal agentfs.Proposal
function M.fits(proposal)
  local file = proposal.files[1]
  local buffer = documents.find(file.uri)
  if batch.is_batch(proposal) or file.operation ~= 'update' or not buffer then
    return false
  end
  if #(file.warnings or {}) > 0 or buffers.text_of(proposal, file) or not guard.is_current(file) then
    return false -- the tab shows more
  end
  local _, ends_before = text.lines(file.base_text or '')
  local _, ends_after = text.lines(file.proposed_text or '')
  local width, height = room(window_of(buffer))
  return ends_before == ends_after and has_room(file, width, height)
end

---@param view agentfs.InlineView
function M.refresh(view)
  local win = view.wins.file
  if not vim.api.nvim_win_is_valid(win) then
    return
  end
  local proposal = view.proposal
  local group, said = 'AgentfsMessage', view.message
  if not said then
    group = 'AgentfsKeys'
    said = ('%s: %s · %s'):format(
      text.line(proposals.agent(proposal), 12),
      text.line(proposal.title, 30),
      keys.hints('inline')
    )
  end
  local bar = ('%%#%s#%s%%*%%<'):format(group, text.bar(said))
  vim.api.nvim_set_option_value('winbar', bar, { scope = 'local', win = win })
end

---@param buffer integer
---@param hunk agentfs.InlineHunk
local function draw(buffer, hunk)
  for row = hunk.row - hunk.removed + 1, hunk.row do
    if row >= 0 then
      vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, row, 0, { line_hl_group = 'AgentfsDelete' })
    end
  end
  if #hunk.added > 0 then
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, math.max(0, hunk.row), 0, {
      virt_lines = vim.tbl_map(function(piece)
        return { { piece == '' and ' ' or piece, 'AgentfsAdd' } }
      end, hunk.added),
      virt_lines_above = hunk.row < 0,
    })
  end
end

---@param view agentfs.InlineView
---@return integer first the first line that changes, from 0 on
---@return integer above how many added lines stand above the first line
local function draw_all(view)
  local rows, first, above = {}, nil, 0
  view.width = room(view.wins.file)
  for _, hunk in ipairs(hunks_of(view.proposal.files[1], view.width)) do
    draw(view.buffer, hunk)
    local row = math.max(0, hunk.row)
    rows[row] = hunk.row < 0 and 0 or #hunk.added
    above = hunk.row < 0 and #hunk.added or above
    for removed = hunk.row - hunk.removed + 1, hunk.row - 1 do
      rows[removed] = rows[removed] or 0
    end
    first = first or math.max(0, hunk.row - hunk.removed + 1)
  end
  seen.watch(view.buffer, view.wins.file, rows)
  return first or 0, above
end

---@param view agentfs.InlineView
function M.show_file(view)
  local first, above = draw_all(view)
  vim.api.nvim_win_set_cursor(view.wins.file, { first + 1, 0 })
  vim.cmd('normal! zv')
  if above > 0 then
    vim.fn.winrestview({ topline = 1, topfill = above })
  end
  M.refresh(view)
end

---@param view agentfs.InlineView
function M.open(view)
  local file = view.proposal.files[1]
  local buffer = assert(documents.find(file.uri))
  local win = window_of(buffer)
  if vim.api.nvim_win_get_buf(win) ~= buffer then
    view.covered = vim.api.nvim_win_get_buf(win)
    vim.api.nvim_win_set_buf(win, buffer)
  end
  vim.api.nvim_set_current_win(win)
  view.place = vim.fn.winsaveview()
  view.wins = { file = win }
  view.buffer, view.shown = buffer, win
  view.watched = { { buffer = buffer, win = win } }
  view.options = {}
  for _, name in ipairs({ 'winbar', 'foldenable', 'wrap', 'smoothscroll' }) do
    view.options[name] = vim.api.nvim_get_option_value(name, { scope = 'local', win = win })
  end
  for _, option in ipairs({ { 'foldenable', false }, { 'wrap', true }, { 'smoothscroll', true } }) do
    vim.api.nvim_set_option_value(option[1], option[2], { scope = 'local', win = win })
  end
  keys.lend(buffer)
  view.was_inside = true
  M.show_file(view)
end

---Draw the added lines anew if the window has another width: Neovim cuts them off at its edge.
---@param view agentfs.InlineView
function M.refit(view)
  local win = view.wins.file
  if guard.has(view.watched[1]) and room(win) ~= view.width then
    vim.api.nvim_buf_clear_namespace(view.buffer, NAMESPACE, 0, -1)
    draw_all(view)
  end
end

---Whether the window is still high enough.
---@param view agentfs.InlineView
function M.has_room(view)
  return not guard.has(view.watched[1]) or has_room(view.proposal.files[1], room(view.wins.file))
end

---@param view agentfs.InlineView
function M.on_enter(view)
  local inside = guard.is_inside(view)
  if inside and not view.was_inside then
    view.entered = vim.uv.hrtime() / 1e6
  end
  view.was_inside = inside
end

---@param view agentfs.InlineView
function M.close(view)
  keys.give_back(view.buffer)
  seen.forget(view.buffer)
  if vim.api.nvim_buf_is_valid(view.buffer) then
    vim.api.nvim_buf_clear_namespace(view.buffer, NAMESPACE, 0, -1)
  end
  local win = view.wins.file
  if not vim.api.nvim_win_is_valid(win) then
    return
  end
  for name, value in pairs(view.options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
  if vim.api.nvim_win_get_buf(win) ~= view.buffer then
    return
  end
  if view.covered and vim.api.nvim_buf_is_valid(view.covered) then
    vim.api.nvim_win_set_buf(win, view.covered)
  else
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(view.place)
    end)
  end
  if vim.api.nvim_win_is_valid(view.origin.win) and vim.api.nvim_get_current_win() == win then
    vim.api.nvim_set_current_win(view.origin.win)
  end
end

return M
