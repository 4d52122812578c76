---The editor's part of a landing: finds documents, applies edits to known versions, saves, and reports what LSP does not.
local async = require('agentfs.async')
local client = require('agentfs.client')
local compat = require('agentfs.compat')
local M = {}

---@param path string
local function real(path)
  return vim.uv.fs_realpath(path) or path
end

---The loaded buffer of a file, or nil.
---@param uri string
---@return integer?
function M.find(uri)
  local path = vim.uri_to_fname(uri)
  local other
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == '' and name ~= '' then
      if name == path then
        return buffer
      elseif not other and vim.fs.basename(name) == vim.fs.basename(path) and real(name) == real(path) then
        other = buffer
      end
    end
  end
  return other
end

---Whether the lines of a buffer are those of a text of the protocol.
---@param buffer integer
---@param text string
function M.has_text(buffer, text)
  local lines = require('agentfs.text').lines(text)
  local now = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  if #lines ~= #now then
    return false
  end
  for at, line in ipairs(lines) do
    if line ~= now[at] and line ~= now[at]:gsub('\r$', '') then
      return false
    end
  end
  return true
end

---Why an edit of this version cannot be applied, or nil.
local function obstacle(uri, version)
  local buffer = M.find(uri)
  if not buffer then
    return 'The buffer was closed.'
  elseif version and (vim.lsp.util.buf_versions[buffer] or 0) > version then
    return 'The buffer has changed in the meantime.'
  elseif not vim.bo[buffer].modifiable then
    return 'The buffer is not modifiable.'
  end
end

---Apply all of an edit, or nothing.
---@param edit table a WorkspaceEdit
---@param encoding string
---@return { uri: string, applied: boolean, reason?: string }[]
function M.apply(edit, encoding)
  local files, stuck = {}, false
  for _, change in ipairs(edit.documentChanges) do
    local document = change.textDocument
    local reason = obstacle(document.uri, document.version)
    stuck = stuck or reason ~= nil
    table.insert(files, { uri = document.uri, applied = false, reason = reason })
  end
  for at, change in ipairs(stuck and {} or edit.documentChanges) do
    local ok, err = pcall(function()
      vim.lsp.util.apply_text_edits(change.edits, M.find(change.textDocument.uri), encoding)
    end)
    files[at].applied, files[at].reason = ok, not ok and tostring(err) or nil
  end
  return files
end

---Save a buffer as `:write` does, with what the user runs on a save.
---@param uri string
---@return { uri: string, saved: boolean, reason?: string }
function M.save(uri)
  local buffer = M.find(uri)
  if not buffer then
    return { uri = uri, saved = false, reason = 'The buffer was closed.' }
  end
  local ok, err = pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd('silent lockmarks write')
  end)
  local saved = ok and not vim.bo[buffer].modified
  return {
    uri = uri,
    saved = saved,
    reason = not saved and (ok and 'It is still modified.' or tostring(err)) or nil,
  }
end

---Wait until no command line is open: while a preview of `:s` is shown, Neovim reports no edit to the server.
function M.wait_until_editable()
  while vim.fn.mode() == 'c' do
    async.sleep(30)
  end
end

---Whether this buffer has unsaved changes.
---@param uri string
function M.is_modified(uri)
  local buffer = M.find(uri)
  return buffer ~= nil and vim.bo[buffer].modified
end

---Have Neovim notice that a file was changed on disk, where it does so without asking.
---@param uri string
function M.check(uri)
  local buffer = M.find(uri)
  if buffer and not vim.bo[buffer].modified and vim.o.autoread then
    vim.cmd(('silent! checktime %d'):format(buffer))
  end
end

---Neovim's names of encodings that Python does not know or takes for another byte order.
local ENCODINGS = {
  [''] = 'utf-8',
  ['ucs-2'] = 'utf-16-be',
  ['ucs-2le'] = 'utf-16-le',
  ['utf-16'] = 'utf-16-be',
  ['utf-16le'] = 'utf-16-le',
  ['ucs-4'] = 'utf-32-be',
  ['ucs-4le'] = 'utf-32-le',
}

---@param buffer integer
function M.report(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  local encoding = vim.bo[buffer].fileencoding
  for _, attached in ipairs(vim.lsp.get_clients({ bufnr = buffer, name = client.NAME })) do
    compat.flush(attached) -- the state is that after the last change
    compat.notify(attached, 'agentfs/documentState', {
      uri = vim.uri_from_bufnr(buffer),
      dirty = vim.bo[buffer].modified,
      encoding = ENCODINGS[encoding] or encoding,
    })
  end
end

return M
