---What the server sends.
local client = require('agentfs.client')
local documents = require('agentfs.documents')
local events = require('agentfs.events')
local M = {}

function M.proposed(_, params, ctx)
  require('agentfs.proposals').add(params, ctx.client_id)
end

function M.settled(_, params)
  require('agentfs.proposals').finish(params)
end

function M.status_changed(_, params, ctx)
  client.states[ctx.client_id] = params
  events.fire('Status', vim.tbl_extend('force', { client_id = ctx.client_id }, params))
  vim.cmd.redrawstatus({ bang = true })
end

function M.tools_changed(_, _, ctx)
  events.fire('ToolsChanged', { client_id = ctx.client_id })
end

---Whether the server's edit is to be saved: by the setting `save`, and if the document had no unsaved changes.
local function is_saved(uri)
  local setting = require('agentfs.config').values.settings.save
  return setting == 'always'
    or (setting ~= 'never' and documents.find(uri) ~= nil and not documents.is_modified(uri))
end

---An annotated edit is a preview of a proposal, which is decided elsewhere. Any other was allowed.
function M.apply_edit(_, params, ctx)
  if params.edit.changeAnnotations then
    return { applied = false, failureReason = client.PENDING }
  end
  documents.wait_until_editable()
  local to_save = {}
  for _, change in ipairs(params.edit.documentChanges) do
    if is_saved(change.textDocument.uri) then
      table.insert(to_save, change.textDocument.uri)
    end
  end
  local encoding = vim.lsp.get_client_by_id(ctx.client_id).offset_encoding
  local files = documents.apply(params.edit, encoding)
  for _, file in ipairs(files) do
    if not file.applied then
      return { applied = false, failureReason = file.reason or 'Another document could not be changed.' }
    end
  end
  for _, uri in ipairs(to_save) do
    documents.save(uri)
  end
  return { applied = true }
end

function M.landing(_, params)
  require('agentfs.diagnostics').landing(params)
end

function M.diagnostics(_, params)
  return require('agentfs.diagnostics').since(params)
end

function M.question(_, params, ctx)
  return require('agentfs.questions').ask(params, ctx.client_id)
end

function M.cancelled(_, params, ctx)
  require('agentfs.questions').cancel(params.id, ctx.client_id)
end

function M.message(_, params)
  local levels = vim.log.levels
  local level = ({ levels.ERROR, levels.WARN, levels.INFO, levels.INFO })[params.type]
  require('agentfs.notice').tell(params.message, level)
end

return M
