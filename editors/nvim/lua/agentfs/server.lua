---What the user asks of the server itself.
local client = require('agentfs.client')
local notice = require('agentfs.notice')
local text = require('agentfs.text')
local M = {}

---The server of this folder, or nil, which the user is told.
---@return vim.lsp.Client?
function M.here()
  local found = client.current()
  if not found then
    notice.warn('the server does not run here. :Agentfs status says why.')
  end
  return found
end

function M.start()
  local root = client.root_of(vim.api.nvim_get_current_buf())
    or client.root_of(vim.fn.getcwd())
    or vim.fn.getcwd()
  if client.start(root) then
    return client.attach_all()
  end
  notice.warn('agentfs-lsp is not installed. :Agentfs install')
end

---@param mode string
function M.set_mode(mode)
  local found = M.here()
  if not found then
    return
  end
  client.request(found, 'agentfs/setApprovalMode', { mode = mode }, function(err, answer)
    local failed = err and err.message or not answer.ok and answer.reason
    notice.tell(failed or ('mode %s'):format(mode))
  end)
end

---List the agents in programs of their own, and disconnect the one that the user chooses.
function M.agents()
  local found = M.here()
  if not found then
    return
  end
  client.request(found, 'agentfs/agents', {}, function(_, answer)
    local agents = answer and answer.agents or {}
    if #agents == 0 then
      return notice.tell('no agent outside Neovim is connected.')
    end
    vim.ui.select(agents, {
      prompt = 'Disconnect: ',
      kind = 'agentfs',
      format_item = function(agent)
        return ('%s, pending changes: %d'):format(text.line(agent.name), #agent.pending)
      end,
    }, function(agent)
      if agent then
        client.request(found, 'agentfs/disconnect', { id = agent.id }, function()
          notice.tell(('%s was disconnected.'):format(agent.name))
        end)
      end
    end)
  end)
end

return M
