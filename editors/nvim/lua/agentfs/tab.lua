---A review in a tab of its own: what is there now on the left, the proposal on the right, and above them what it is about.
local batch = require('agentfs.batch')
local buffers = require('agentfs.buffers')
local keys = require('agentfs.keys')
local proposals = require('agentfs.proposals')
local seen = require('agentfs.seen')
local text = require('agentfs.text')
local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('agentfs.tab')
local MAX_HEAD = 8

---@class agentfs.TabView: agentfs.View
---@field tab integer
---@field diffopt string what that option was
---@field live? integer the user's own buffer on the left
---@field options? table<string, any> what that window's options were

---What would have Neovim take a changed line for an unchanged one, and fold it away.
local HIDING = { 'iwhite', 'iblank', 'icase' }

---The option 'diffopt' without what hides changes.
---@return string
local function plain_diffopt()
  local kept = vim.tbl_filter(function(item)
    return not vim.iter(HIDING):any(function(start)
      return vim.startswith(item, start)
    end)
  end, vim.split(vim.o.diffopt, ',', { trimempty = true }))
  return table.concat(kept, ',')
end

---@param win integer
---@param options table<string, any>
local function set_local(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
end

---@param view agentfs.TabView
local function file_of(view)
  return view.proposal.files[view.at]
end

---The lines above the diff, and the highlight of each.
---@param view agentfs.TabView
---@return string[] lines
---@return string[] groups
---@return integer list the line above the list of files
local function head(view)
  local proposal, file = view.proposal, file_of(view)
  local lines, groups = {}, {}
  local function add(line, group)
    table.insert(lines, line)
    table.insert(groups, group)
  end
  local others = #proposals.waiting() - 1
  local more = others > 0 and (' (%d more waiting)'):format(others) or ''
  add(
    ('%s: %s%s'):format(text.line(proposals.agent(proposal)), text.line(proposal.title), more),
    'AgentfsTitle'
  )
  if proposal.blind then
    add('The agent may not read this file: what it replaces is shown to you alone.', 'AgentfsWarning')
  end
  for _, warning in ipairs(file.warnings or {}) do
    local where = warning.line > 0 and ('line %d: '):format(warning.line) or ''
    add(
      ('! %s%s %s'):format(where, text.line(warning.kind), text.line(warning.detail or '')),
      'AgentfsWarning'
    )
  end
  local list = #lines
  if batch.is_batch(proposal) then
    for at, line in ipairs(batch.lines(proposal)) do
      add(line, at == view.at and 'AgentfsFileShown' or 'AgentfsFile')
    end
  end
  for _, line in ipairs(vim.split(vim.trim(proposal.explanation or ''), '\n')) do
    if line ~= '' then
      add('  ' .. text.line(line), 'AgentfsExplanation')
    end
  end
  return lines, groups, list
end

---@param view agentfs.TabView
function M.refresh(view)
  local win = view.wins.head
  if not (win and vim.api.nvim_win_is_valid(win)) then
    return
  end
  local buffer = vim.api.nvim_win_get_buf(win)
  local lines, groups, list = head(view)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  for row, group in ipairs(groups) do
    vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, row - 1, 0, { line_hl_group = group })
  end
  local height = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.min(height, MAX_HEAD) + 1) -- and its bar
  if batch.is_batch(view.proposal) then
    vim.api.nvim_win_set_cursor(win, { list + view.at, 0 })
  end
  local said, group = keys.hints(batch.is_batch(view.proposal) and 'batch' or 'one'), 'AgentfsKeys'
  if view.message then
    said, group = view.message, 'AgentfsMessage'
  end
  set_local(win, { winbar = ('%%#%s#%s%%*%%<'):format(group, text.bar(said)) })
end

---The lines of one side that differ, from 0 on, and the first of them. Where none do, what stands there in the other has its place.
---@param buffer integer
---@param hunks integer[][] each with the first line and the number of lines, from `at` on
---@param at 1|3
local function changed_rows(buffer, hunks, at)
  local rows, first = {}, nil
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, hunk in ipairs(hunks) do
    local from, count = math.max(0, hunk[at] - 1), hunk[at + 1]
    for row = from, from + math.max(count, 1) - 1 do
      rows[math.min(row, last)] = 0
    end
    first = first or math.min(from, last)
  end
  return rows, first or 0
end

---@param buffer integer
---@param file agentfs.File
local function show_warnings(buffer, file)
  vim.api.nvim_buf_clear_namespace(buffer, NAMESPACE, 0, -1)
  local last = vim.api.nvim_buf_line_count(buffer)
  for _, warning in ipairs(file.warnings or {}) do
    if warning.line > 0 and warning.line <= last then
      local said = ('  ! %s %s'):format(text.line(warning.kind), text.line(warning.detail or ''))
      vim.api.nvim_buf_set_extmark(buffer, NAMESPACE, warning.line - 1, 0, {
        virt_text = { { said, 'AgentfsWarning' } },
        line_hl_group = 'AgentfsWarning',
      })
    end
  end
end

---@param view agentfs.TabView
local function release_left(view)
  if not view.live then
    return
  end
  keys.give_back(view.live)
  local win = view.wins.left
  if vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, function()
      vim.cmd('diffoff')
    end)
    set_local(win, view.options) -- Neovim shows the buffer with them in its next window
  end
  view.live = nil
end

---@param view agentfs.TabView
local function forget(view)
  for _, side in ipairs(view.watched) do
    seen.forget(side.buffer)
  end
end

---Show one of the files.
---@param view agentfs.TabView
function M.show_file(view)
  local file, wins = file_of(view), view.wins
  view.is_changing = true
  forget(view)
  release_left(view)
  local left, is_live = buffers.present(view.proposal, file)
  local right = buffers.proposed(view.proposal, file)
  vim.api.nvim_win_set_buf(wins.left, left)
  vim.api.nvim_win_set_buf(wins.right, right)
  view.buffer, view.shown = right, wins.right
  if is_live then
    view.live, view.options = left, {}
    for _, name in ipairs({ 'wrap', 'smoothscroll', 'conceallevel', 'winbar', 'foldcolumn' }) do
      view.options[name] = vim.api.nvim_get_option_value(name, { scope = 'local', win = wins.left })
    end
  else
    keys.add(left)
  end
  keys.add(right)
  M.map_right(right)
  show_warnings(right, file)
  local now = file.operation == 'create' and 'new file' or is_live and 'your buffer' or 'on disk'
  local name = text.bar(file.path)
  local ends = { [true] = '', [false] = ' (no line end at the end)' }
  local _, is_ended = text.lines(file.proposed_text or '')
  local what = file.operation == 'delete' and 'to be deleted'
    or 'proposed' .. ends[is_ended or file.proposed_text == '']
  for _, side in ipairs({ { wins.left, now }, { wins.right, what } }) do
    vim.api.nvim_win_call(side[1], function()
      vim.cmd('diffthis')
    end)
    set_local(side[1], {
      wrap = true,
      smoothscroll = true, -- else a line that is longer than the window can't be read on
      conceallevel = 0,
      foldcolumn = '0',
      winbar = ('%%#AgentfsTitle#%s: %s%%*'):format(side[2], name),
    })
  end
  local hunks = text.hunks(file.base_text or '', file.proposed_text or '')
  local rows, first = changed_rows(right, hunks, 3)
  seen.watch(right, wins.right, rows)
  seen.watch(left, wins.left, (changed_rows(left, hunks, 1)))
  view.watched = { { buffer = right, win = wins.right }, { buffer = left, win = wins.left } }
  vim.api.nvim_set_current_win(wins.right)
  vim.api.nvim_win_set_cursor(wins.right, { first + 1, 0 })
  vim.cmd('syncbind')
  vim.cmd('normal! zv')
  view.is_changing, view.was_inside = false, true
  view.entered = vim.uv.hrtime() / 1e6
  M.refresh(view)
end

---What is special to the proposal's buffer: `:write` accepts, and nothing is put into the file past the review.
---@param buffer integer
function M.map_right(buffer)
  vim.keymap.set('n', 'dp', function()
    local view = require('agentfs.review').view
    if view then
      view.message = 'This would change your file without landing anything. do drops the hunk.'
      M.refresh(view)
    end
  end, { buffer = buffer, nowait = true, desc = 'agentfs: does nothing here' })
end

---@param view agentfs.TabView
function M.open(view)
  local header = buffers.create(('agentfs://%s (review)'):format(view.proposal.id), 'nofile')
  vim.cmd(('tab sbuffer %d'):format(header))
  view.tab = vim.api.nvim_get_current_tabpage()
  view.diffopt = vim.o.diffopt
  vim.o.diffopt = plain_diffopt()
  view.wins.head = vim.api.nvim_get_current_win()
  set_local(view.wins.head, {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    wrap = true,
    winfixheight = true,
    winbar = ' ',
    cursorline = false,
    spell = false,
  })
  vim.bo[header].modifiable = false
  keys.add(header)
  vim.keymap.set('n', '<CR>', function()
    local _, _, list = head(view)
    require('agentfs.review').show_file_at(vim.api.nvim_win_get_cursor(0)[1] - list)
  end, { buffer = header, nowait = true, desc = 'agentfs: show this file' })
  view.wins.left =
    vim.api.nvim_open_win(buffers.create('agentfs://empty', 'nofile'), true, { split = 'below' })
  view.wins.right = vim.api.nvim_open_win(0, true, { split = 'right' })
  M.show_file(view)
end

---The user went into a window of the review, or left one.
---@param view agentfs.TabView
function M.on_enter(view)
  local inside = require('agentfs.guard').is_inside(view)
  if inside and not view.was_inside then
    view.entered = vim.uv.hrtime() / 1e6
  end
  view.was_inside = inside
  if view.live and not view.is_changing then
    if vim.api.nvim_get_current_win() == view.wins.left then
      keys.lend(view.live)
    else
      keys.give_back(view.live)
    end
  end
end

---Close the windows of the review, and no other.
---@param view agentfs.TabView
function M.close(view)
  forget(view)
  release_left(view)
  vim.o.diffopt = view.diffopt
  local is_here = vim.api.nvim_get_current_tabpage() == view.tab
  for _, win in ipairs({ view.wins.head, view.wins.left, view.wins.right }) do
    if vim.api.nvim_win_is_valid(win) and not pcall(vim.api.nvim_win_close, win, true) then
      vim.api.nvim_win_call(win, function()
        vim.cmd('enew') -- it is the last window
      end)
    end
  end
  if is_here and vim.api.nvim_tabpage_is_valid(view.origin.tab) then
    vim.api.nvim_set_current_tabpage(view.origin.tab)
    if vim.api.nvim_win_is_valid(view.origin.win) then
      vim.api.nvim_set_current_win(view.origin.win)
    end
  end
  vim.cmd.redrawstatus({ bang = true })
end

return M
