---Attaches the server to files as they are opened, and takes up what a plugin that was loaded before has left.
local client = require('agentfs.client')
local documents = require('agentfs.documents')
local idle = require('agentfs.idle')
local notice = require('agentfs.notice')
local review = require('agentfs.review')
local M = {}

local function begin()
  client.attach_all()
  for _, one in ipairs(client.all()) do
    require('agentfs.proposals').adopt(one.id)
  end
  if client.missing then
    idle.run('missing', function()
      notice.warn('agentfs-lsp is not installed. :Agentfs install')
    end)
  end
end

---@param group integer
function M.setup(group)
  local function on(event, callback)
    vim.api.nvim_create_autocmd(event, { group = group, callback = callback })
  end
  on({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, function(event)
    client.attach(event.buf)
  end)
  on({ 'LspAttach', 'BufModifiedSet' }, function(event)
    documents.report(event.buf)
  end)
  on('DiagnosticChanged', function(event)
    require('agentfs.diagnostics').changed(event.buf)
  end)
  on('OptionSet', function(event)
    if event.match == 'fileencoding' then
      documents.report(vim.api.nvim_get_current_buf())
    end
  end)
  on('ColorScheme', require('agentfs.highlight').setup)
  vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'AgentfsUnload',
    callback = function()
      review.close() -- what was typed stays in its buffers
      idle.stop()
    end,
  })
  if vim.v.vim_did_enter == 1 then
    begin()
  else
    on('VimEnter', begin)
  end
end

return M
