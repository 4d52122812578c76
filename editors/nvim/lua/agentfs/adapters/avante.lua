---Tools for avante: `require('agentfs.adapters.avante').tools(function(tools) … end)`.
local M = {}

---Make avante's custom tools from the server's definitions, once it has answered.
---@param use fun(tools: table[])
function M.tools(use)
  local agentfs = require('agentfs')
  agentfs.tools({ dialect = 'standard', format = 'openai', session = 'avante' }, function(answer)
    use(vim.tbl_map(function(schema)
      local definition, fields = schema['function'], {}
      for name, one in pairs(definition.parameters.properties) do
        local optional = not vim.tbl_contains(definition.parameters.required or {}, name)
        table.insert(
          fields,
          { name = name, description = one.description, type = one.type, optional = optional }
        )
      end
      local function func(input, options)
        local params = { name = definition.name, arguments = input, session = 'avante', agent = 'avante' }
        agentfs.call(params, function(result)
          local failed = result.status == 'error'
          options.on_complete(
            not failed and (result.data.content or result.text) or nil,
            failed and result.text or nil
          )
        end)
      end
      local returns = { { name = 'result', description = 'What the tool answers', type = 'string' } }
      local param = { type = 'table', fields = fields }
      return {
        name = definition.name,
        description = definition.description,
        param = param,
        returns = returns,
        func = func,
      }
    end, answer.data.tools or {}))
  end)
end

return M
