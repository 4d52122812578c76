---Tools for CodeCompanion: `require('agentfs.adapters.codecompanion').tools(function(tools) … end)`.
local M = {}

local function tell(tool, output, meta)
  meta.tools.chat:add_tool_output(tool, vim.iter(output):flatten():join('\n'))
end

---Make CodeCompanion's tools from the server's definitions, once it has answered.
---@param use fun(tools: table<string, table>) gets them by name, as `interactions.chat.tools` has them
function M.tools(use)
  local agentfs = require('agentfs')
  agentfs.tools({ dialect = 'standard', format = 'openai', session = 'codecompanion' }, function(answer)
    local tools = {}
    for _, schema in ipairs(answer.data.tools or {}) do
      local name = schema['function'].name
      local function call(_, arguments, options)
        local host = { session = 'codecompanion', agent = 'CodeCompanion' }
        agentfs.call(vim.tbl_extend('error', host, { name = name, arguments = arguments }), function(result)
          local status = result.status == 'error' and 'error' or 'success'
          options.output_cb({ status = status, data = result.data.content or result.text })
        end)
      end
      local output = { success = tell, error = tell }
      local tool = { name = name, cmds = { call }, schema = schema, output = output }
      tools[name] = {
        description = schema['function'].description,
        callback = function()
          return tool
        end,
      }
    end
    use(tools)
  end)
end

return M
