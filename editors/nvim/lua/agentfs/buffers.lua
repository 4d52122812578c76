---The buffers of a review: what the agent proposes, which the user may edit, and what is there now.
local documents = require('agentfs.documents')
local text = require('agentfs.text')
local M = {}

local SCHEME = 'agentfs://'
local COLORED_BYTES = 1000000

---@param name string
---@return integer?
function M.named(name)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == name then
      return buffer
    end
  end
end

---Set the text of a buffer, without a step back to before.
---@param buffer integer
---@param content string
function M.fill(buffer, content)
  local lines, ended = text.lines(content)
  local levels, modifiable = vim.bo[buffer].undolevels, vim.bo[buffer].modifiable
  vim.bo[buffer].modifiable, vim.bo[buffer].undolevels = true, -1
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].undolevels, vim.bo[buffer].modifiable = levels, modifiable
  vim.bo[buffer].fixendofline, vim.bo[buffer].endofline = false, ended
  vim.bo[buffer].modified = false
end

---Color code by the file's name alone: nothing in the text is a command to Neovim.
---@param buffer integer
---@param path string
local function color(buffer, path)
  if vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer)) > COLORED_BYTES then
    return
  end
  local ok, filetype = pcall(vim.filetype.match, { filename = path })
  local language = ok and filetype and vim.treesitter.language.get_lang(filetype)
  if language and not pcall(vim.treesitter.start, buffer, language) then
    pcall(function()
      vim.bo[buffer].syntax = filetype
    end)
  end
end

---A buffer that no file is read into or written from.
---@param name string
---@param kind 'acwrite'|'nofile'
---@return integer
function M.create(name, kind)
  local old = M.named(name)
  if old then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  local buffer = vim.api.nvim_create_buf(false, false)
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].modeline = kind, false, false
  vim.bo[buffer].bufhidden = kind == 'acwrite' and 'hide' or 'wipe'
  vim.api.nvim_buf_set_name(buffer, name)
  return buffer
end

---The name of a file's buffer. Names that differ only in what is escaped or in blanks would be the same: they get a number.
---@param proposal agentfs.Proposal
---@param file agentfs.File
---@return string
function M.name_of(proposal, file)
  local shown, number = text.line(file.path), 1
  for _, other in ipairs(proposal.files) do
    if other.uri == file.uri then
      break
    end
    number = number + (text.line(other.path) == shown and 1 or 0)
  end
  return SCHEME .. proposal.id .. '/' .. shown .. (number > 1 and (' (%d)'):format(number) or '')
end

---What the agent proposes for a file, or what the user has made of it. `draft` is put in where it is new.
---@param proposal agentfs.Proposal
---@param file agentfs.File
---@param draft? string
---@return integer
function M.proposed(proposal, file, draft)
  local name = M.name_of(proposal, file)
  local buffer = M.named(name)
  if not buffer or not vim.api.nvim_buf_is_loaded(buffer) then
    buffer = M.create(name, 'acwrite')
    M.fill(buffer, file.proposed_text or '')
    color(buffer, file.path)
    if draft then
      local lines, ended = text.lines(draft)
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
      vim.bo[buffer].endofline = ended
    end
    vim.bo[buffer].modifiable = file.operation ~= 'delete'
  end
  return buffer
end

---The text of a proposed file as its buffer shows it, exactly; nil if it was never shown.
---@param proposal agentfs.Proposal
---@param file agentfs.File
---@return string?
function M.text_of(proposal, file)
  local buffer = M.named(M.name_of(proposal, file))
  if buffer and vim.api.nvim_buf_is_loaded(buffer) then
    return text.join(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), vim.bo[buffer].endofline)
  end
end

---What is there now: the live buffer if the file is open, else a copy.
---@param proposal agentfs.Proposal
---@param file agentfs.File
---@return integer buffer
---@return boolean is_live
function M.present(proposal, file)
  local live = documents.find(file.uri)
  if live then
    return live, true
  end
  local buffer = M.create(M.name_of(proposal, file) .. ' (now)', 'nofile')
  M.fill(buffer, file.base_text or '')
  color(buffer, file.path)
  vim.bo[buffer].modifiable = false
  return buffer, false
end

---Remove what a proposal's review has shown. Returns what the user had typed, by path.
---@param proposal agentfs.Proposal
---@return table<string, string>
function M.drop(proposal)
  local typed = {}
  for _, file in ipairs(proposal.files) do
    local buffer = M.named(M.name_of(proposal, file))
    if buffer then
      local now = M.text_of(proposal, file)
      if now and now ~= file.proposed_text and file.operation ~= 'delete' then
        typed[file.path] = now
      end
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end
  return typed
end

return M
