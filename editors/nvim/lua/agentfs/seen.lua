---Knows what was on the screen: when the present text of a buffer was drawn first, and which changed lines were not yet.
local M = {}

local PROVIDER = vim.api.nvim_create_namespace('agentfs.seen')
local MARKS = vim.api.nvim_create_namespace('agentfs.unseen')

---@class agentfs.Watched
---@field win integer
---@field unseen table<integer, true> by mark
---@field below table<integer, integer> by mark: rows that virtual lines take below its line
---@field tick? integer
---@field at? number

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
    one.unseen[mark], one.below[mark] = true, below
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

---When the present text of the buffer was drawn first, in ms; nil if it was not.
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

---@param buffer integer
---@param one agentfs.Watched
local function note(buffer, one)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  if one.tick ~= tick then
    one.tick, one.at = tick, vim.uv.hrtime() / 1e6
  end
  if not next(one.unseen) then
    return
  end
  local top, bottom = vim.fn.line('w0', one.win), vim.fn.line('w$', one.win)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, MARKS, { top - 1, 0 }, { bottom - 1, -1 }, {})) do
    local id, row = mark[1], mark[2]
    local fits = one.below[id] == 0 or row + 1 < bottom
    if not fits then
      local height = vim.api.nvim_win_text_height(one.win, { start_row = top - 1, end_row = row }).all
      fits = height + one.below[id] <= vim.api.nvim_win_get_height(one.win)
    end
    if fits then
      one.unseen[id] = nil
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
