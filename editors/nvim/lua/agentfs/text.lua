---Texts of proposals, and how what others wrote is shown.
local M = {}

---Characters that are not seen, that change the direction of text, or that only look like a blank.
local UNSEEN = {
  { 0x00, 0x1f },
  { 0x7f, 0xa0 },
  { 0xad, 0xad },
  { 0x34f, 0x34f },
  { 0x61c, 0x61c },
  { 0x115f, 0x1160 },
  { 0x1680, 0x1680 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x1cbb, 0x1cbc },
  { 0x2000, 0x200f },
  { 0x2028, 0x202f },
  { 0x205f, 0x206f },
  { 0x2800, 0x2800 },
  { 0x3164, 0x3164 },
  { 0xd800, 0xdfff },
  { 0xfe00, 0xfe0f },
  { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffc },
  { 0x133fc, 0x133fc },
  { 0x13430, 0x1345f },
  { 0x1bca0, 0x1bca3 },
  { 0x1d159, 0x1d159 },
  { 0x1d173, 0x1d17a },
  { 0xe0000, 0xe0fff },
}

local CHARACTER = '[%z\1-\127\194-\244][\128-\191]*'

---@param code integer
local function is_unseen(code)
  for _, range in ipairs(UNSEEN) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

---@param text string
local function escaped(text)
  if not text:find('[^ -~]') then
    return text
  end
  local shown, at = {}, 1
  while at <= #text do
    local from, to = text:find(CHARACTER, at)
    if from ~= at then -- no UTF-8
      table.insert(shown, ('\\x%02x'):format(text:byte(at)))
      at = at + 1
    else
      local character = text:sub(from, to)
      local code = vim.fn.char2nr(character, true)
      table.insert(shown, is_unseen(code) and ('\\u{%x}'):format(code) or character)
      at = to + 1
    end
  end
  return table.concat(shown)
end

---`text` in one line that cannot control the screen, at most `max` columns wide.
---@param text string
---@param max? integer
---@return string
function M.line(text, max)
  local line = escaped((text:gsub('[ \t\r\n]+', ' ')))
  if max and vim.fn.strdisplaywidth(line) > max then
    while vim.fn.strdisplaywidth(line) > max - 1 do
      line =
        vim.fn.strcharpart(line, 0, vim.fn.strchars(line) - math.max(1, vim.fn.strdisplaywidth(line) - max))
    end
    line = line .. '…'
  end
  return line
end

---`text` as it may stand in a status line or window bar, where `%` has a meaning.
---@param text string
---@param max? integer
---@return string
function M.bar(text, max)
  return (M.line(text, max):gsub('%%', '%%%%'))
end

---A line of code with nothing unseen in it; tabs become blanks.
---@param line string
---@return string
function M.code(line)
  return escaped((line:gsub('\t', '    ')))
end

---@param text string
---@return string[] lines
---@return boolean ended whether the last line has its line end
function M.lines(text)
  local ended = text:sub(-1) == '\n'
  return vim.split(ended and text:sub(1, -2) or text, '\n', { plain = true }), ended
end

---@param lines string[]
---@param ended boolean
---@return string
function M.join(lines, ended)
  return table.concat(lines, '\n') .. (ended and '\n' or '')
end

---How two texts differ: each hunk has the first line and the number of lines before and after.
---@param before string
---@param after string
---@return { [1]: integer, [2]: integer, [3]: integer, [4]: integer }[]
function M.hunks(before, after)
  return vim.diff(before, after, { result_type = 'indices', algorithm = 'histogram' }) --[[@as table]]
end

return M
