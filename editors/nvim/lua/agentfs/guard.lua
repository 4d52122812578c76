---Whether a key may approve: only in a review that the user went into, and that was on the screen for a moment.
local config = require('agentfs.config')
local documents = require('agentfs.documents')
local idle = require('agentfs.idle')
local seen = require('agentfs.seen')
local M = {}

---@class agentfs.Shown
---@field proposal agentfs.Proposal
---@field wins table<string, integer>
---@field entered number when the user went into it, in ms
---@field auto? boolean whether it opened by itself
---@field watched agentfs.Side[] what must have been on the screen

---A window with changed lines.
---@class agentfs.Side
---@field buffer integer
---@field win integer

---Whether the user is in a window of this review.
---@param view agentfs.Shown
function M.is_inside(view)
  return vim.tbl_contains(vim.tbl_values(view.wins), vim.api.nvim_get_current_win())
end

---Whether the file is still what the agent has seen.
---@param file agentfs.File
function M.is_current(file)
  local buffer = documents.find(file.uri)
  return not buffer or documents.has_text(buffer, file.base_text or '')
end

---Whether a window still shows its side.
---@param side agentfs.Side
function M.has(side)
  return vim.api.nvim_win_is_valid(side.win) and vim.api.nvim_win_get_buf(side.win) == side.buffer
end

---Why a key does not approve what `buffer` shows; nil if it does. Shows what was not on the screen yet.
---@param view agentfs.Shown
---@param file agentfs.File
---@param buffer integer
---@param win integer
---@param again string the key
---@return string?
function M.refusal(view, file, buffer, win, again)
  if view.proposal.state ~= 'waiting' then
    return 'This change no longer waits for you.'
  elseif not M.is_inside(view) or vim.api.nvim_get_mode().mode ~= 'n' then
    return 'Go into the review first.'
  elseif vim.api.nvim_win_get_buf(win) ~= buffer then
    return 'The change is not on the screen.'
  end
  documents.check(file.uri)
  if not M.is_current(file) then
    return 'The file is no longer what the agent has seen, so this cannot land. Reject it, or restore the file.'
  end
  for _, side in ipairs(view.watched) do
    local row, count = seen.unseen(side.buffer)
    if row then
      if not M.has(side) then
        return 'The change is not on the screen.'
      end
      vim.api.nvim_set_current_win(side.win) -- Neovim aligns the other side with this one
      seen.show(side.buffer)
      local what = count == 1 and 'A changed line was' or ('%d changed lines were'):format(count)
      return ('%s not on the screen yet. Press %s again after reading.'):format(what, again)
    end
  end
  local since = seen.drawn_at(buffer)
  for _, side in ipairs(view.watched) do
    since = since and math.max(since, seen.drawn_at(side.buffer) or since, view.entered)
  end
  local is_fresh = not since or vim.uv.hrtime() / 1e6 - since < config.values.guard_ms
  if is_fresh or (view.auto and not idle.has_paused()) then
    return ('Only just shown: press %s again.'):format(again)
  end
end

return M
