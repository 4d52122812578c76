---What the adapters of agents' plugins share.
local M = {}

---Get the server's tools: at once, or when the first server has started.
---@param session string
---@param use fun(definitions: table[]) each with `name`, `description`, `parameters`
function M.definitions(session, use)
  local agentfs = require('agentfs')
  local function ask()
    agentfs.tools({ dialect = 'standard', format = 'openai', session = session }, function(answer)
      use(vim.tbl_map(function(tool)
        return tool['function']
      end, answer.data.tools or {}))
    end)
  end
  if agentfs.client() then
    return ask()
  end
  vim.api.nvim_create_autocmd('User', { pattern = 'AgentfsStarted', once = true, callback = ask })
end

---Run a tool.
---@param params table `name`, `arguments`, `session`, `agent`
---@param use fun(text: string, failed: boolean)
---@return fun() cancel withdraws what it proposes
function M.call(params, use)
  return require('agentfs').call(params, function(answer)
    use(answer.data.content or answer.text, answer.status == 'error')
  end)
end

return M
