---Knows what was on the screen: when the present text of a buffer was drawn first, and which changed lines were not yet.
local M = {}

local PROVIDER = vim.api.nvim_create_namespace('agentfs.seen')
local MARKS = vim.api.nvim_create_namespace('agentfs.unseen')

---@class agentfs.Watched
---@field win integer
---@field unseen table<integer, integer> by mark: how many rows of its line were on the screen
---@field below table<integer, integer> by mark: rows that virtual lines take below its line
---@field tick? integer
---@field at? number when the present text was drawn first, or the last of its changed lines

---@type table<integer, agentfs.Watched>
local watched = {}
---@type table<integer, true>
local redrawn = {}

---Watch a buffer in a window. `rows`: the lines, from 0 on, that must come into view, each with the number of virtual lines below.
---@param buffer integer
---@param win integer
---@param rows table<integer, integer>
function M.watch(buffer, win, rows)
  M.forget(buffer)
  local one = { win = win, unseen = {}, below = {} }
  for row, below in pairs(rows) do
    local mark = vim.api.nvim_buf_set_extmark(buffer, MARKS, row, 0, {})
    one.unseen[mark], one.below[mark] = 0, below
  end
  watched[buffer] = one
end

---@param buffer integer
function M.forget(buffer)
  watched[buffer] = nil
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, MARKS, 0, -1)
  end
end

---Since when the present text of the buffer has been drawn, with the last of its changed lines, in ms; nil if it was not.
---@param buffer integer
---@return number?
function M.drawn_at(buffer)
  local one = watched[buffer]
  return one and one.tick == vim.api.nvim_buf_get_changedtick(buffer) and one.at or nil
end

---The first line, from 0 on, that was not on the screen yet, and how many were not.
---@param buffer integer
---@return integer? row
---@return integer count
function M.unseen(buffer)
  local one = watched[buffer]
  local first, count = nil, 0
  for mark in pairs(one and one.unseen or {}) do
    local row = vim.api.nvim_buf_get_extmark_by_id(buffer, MARKS, mark, {})[1]
    count = count + 1
    if row and (not first or row < first) then
      first = row
    end
  end
  return first, count
end

---Show the first line that was not on the screen yet, or what is left of it if it is longer than the window.
---@param buffer integer
function M.show(buffer)
  local one, row = watched[buffer], M.unseen(buffer)
  if not (one and row) then
    return
  end
  vim.api.nvim_win_call(one.win, function()
    vim.api.nvim_win_set_cursor(one.win, { row + 1, 0 })
    vim.cmd('normal! zvzt')
    local rows = 0
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, MARKS, { row, 0 }, { row, -1 }, {})) do
      rows = math.max(rows, one.unseen[mark[1]] or 0)
    end
    if rows > 0 then
      local room = vim.fn.getwininfo(one.win)[1]
      local half = math.floor(room.height / 2)
      local cell = (rows + half) * (room.width - room.textoff)
      local column = vim.fn.virtcol2col(one.win, row + 1, cell + 1)
      vim.api.nvim_win_set_cursor(one.win, { row + 1, math.max(column, 1) - 1 })
    end
  end)
end

---How many rows a line takes, without what stands above it.
---@param win integer
---@param row integer
---@return integer
local function height_of(win, row)
  local height = vim.api.nvim_win_text_height(win, { start_row = row, end_row = row })
  return height.all - height.fill
end

---@param buffer integer
---@param one agentfs.Watched
local function note(buffer, one)
  local tick, now = vim.api.nvim_buf_get_changedtick(buffer), vim.uv.hrtime() / 1e6
  if one.tick ~= tick then
    one.tick, one.at = tick, now
  end
  if not next(one.unseen) then
    return
  end
  local top, bottom = vim.fn.line('w0', one.win), vim.fn.line('w$', one.win)
  local room = vim.fn.getwininfo(one.win)[1]
  local view = vim.api.nvim_win_call(one.win, vim.fn.winsaveview)
  -- The first row of a line that goes on from above begins with a mark of Neovim's own.
  local hidden = view.skipcol > 0 and math.floor(view.skipcol / math.max(1, room.width - room.textoff)) + 1
    or 0

  ---Whether all of a line and of what stands below it has been on the screen.
  ---@param id integer
  ---@param row integer
  local function is_seen(id, row)
    if vim.api.nvim_win_call(one.win, function()
      return vim.fn.foldclosed(row + 1) ~= -1
    end) then
      return false
    end
    local height = height_of(one.win, row)
    local from, to = 0, height
    if row + 1 == top then
      from, to = hidden, math.min(height, math.max(0, hidden - 1) + room.height - view.topfill)
    end
    if from <= one.unseen[id] and to > one.unseen[id] then
      one.unseen[id], one.at = to, now
    end
    if one.unseen[id] < height then
      return false
    end
    local above = vim.api.nvim_win_text_height(one.win, { start_row = top - 1, end_row = row }).all
    return one.below[id] == 0
      or row + 1 < bottom
      or above - math.max(0, hidden - 1) + one.below[id] <= room.height
  end

  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, MARKS, { top - 1, 0 }, { bottom - 1, -1 }, {})) do
    local id = mark[1]
    if one.unseen[id] and is_seen(id, mark[2]) then
      one.unseen[id], one.at = nil, now
    end
  end
end

function M.setup()
  vim.api.nvim_set_decoration_provider(PROVIDER, {
    on_win = function(_, win, buffer)
      if watched[buffer] and watched[buffer].win == win then
        redrawn[buffer] = true
      end
      return false
    end,
    on_end = function()
      for buffer in pairs(redrawn) do
        redrawn[buffer] = nil
        if watched[buffer] and vim.api.nvim_win_is_valid(watched[buffer].win) then
          note(buffer, watched[buffer])
        end
      end
    end,
  })
end

return M
