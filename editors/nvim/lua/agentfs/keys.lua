---The keys of a review, in its own buffers always, and in a file of the user's only while the cursor is in the review.
local config = require('agentfs.config')
local M = {}

M.DOES = {
  accept = 'accept the change as shown',
  reject = 'reject the change, with a reason',
  always = "accept it, and allow the session's later changes",
  later = 'decide later',
  next_file = 'the next file of the change',
  prev_file = 'the previous file of the change',
  next = 'the next change that waits',
  prev = 'the previous change that waits',
}

---@type table<integer, table[]> the user's own maps of a buffer, which these cover
local covered = {}

---@param buffer integer
function M.add(buffer)
  for name, does in pairs(M.DOES) do
    local key = config.values.keys[name]
    if key then
      vim.keymap.set('n', key, function()
        require('agentfs.review').act(name)
      end, { buffer = buffer, nowait = true, desc = 'agentfs: ' .. does })
    end
  end
end

---Add them to a buffer of the user's.
---@param buffer integer
function M.lend(buffer)
  if covered[buffer] then
    return
  end
  covered[buffer] = {}
  for name in pairs(M.DOES) do
    local key = config.values.keys[name]
    for _, map in ipairs(key and vim.api.nvim_buf_get_keymap(buffer, 'n') or {}) do
      if vim.keycode(map.lhs) == vim.keycode(key) then
        table.insert(covered[buffer], map)
      end
    end
  end
  M.add(buffer)
end

---@param buffer integer
function M.give_back(buffer)
  local maps = covered[buffer]
  covered[buffer] = nil
  if not maps or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  for name in pairs(M.DOES) do
    if config.values.keys[name] then
      pcall(vim.keymap.del, 'n', config.values.keys[name], { buffer = buffer })
    end
  end
  for _, map in ipairs(maps) do
    vim.api.nvim_buf_call(buffer, function()
      vim.fn.mapset('n', false, map)
    end)
  end
end

---The keys in one line.
---@param kind 'one'|'batch'|'inline'
---@return string
function M.hints(kind)
  local keys, shown = config.values.keys, {}
  local function add(key, what)
    if key then
      table.insert(shown, key .. ' ' .. what)
    end
  end
  add(keys.accept, kind == 'batch' and 'accept file' or 'accept')
  add(keys.reject, 'reject')
  add(keys.later, 'later')
  add(keys.always, 'always')
  if kind == 'batch' then
    add(keys.next_file, 'next file')
  end
  if kind ~= 'inline' then
    add('do', 'drop hunk')
    table.insert(shown, 'or edit it')
  end
  return table.concat(shown, ' · ')
end

return M
