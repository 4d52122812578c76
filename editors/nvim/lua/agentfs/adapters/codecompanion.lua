---Tools for CodeCompanion, in its setup: `extensions = { agentfs = { callback = 'agentfs.adapters.codecompanion' } }`.
---`@{agentfs}` in a chat then names all of them.
local adapters = require('agentfs.adapters')
local M = {}

---What CodeCompanion passes has the errors of the turn's earlier calls, too.
local function tell(tool, output, meta)
  meta.tools.chat:add_tool_output(tool, output[#output])
end

---@param definition table
local function tool_of(definition)
  local function call(tools, arguments, options)
    local session = 'codecompanion-' .. tools.bufnr
    local params =
      { name = definition.name, arguments = arguments, session = session, agent = 'CodeCompanion' }
    local cancel = adapters.call(params, function(text, failed)
      options.output_cb({ status = failed and 'error' or 'success', data = text })
    end)
    if options.register_job then -- what a chat that is stopped kills
      options.register_job({ kill = cancel })
    end
  end
  return {
    name = definition.name,
    cmds = { call },
    schema = { type = 'function', ['function'] = definition },
    output = { success = tell, error = tell },
  }
end

---Make CodeCompanion's tools from the server's definitions, once there is a server.
---@param use fun(tools: table<string, table>) gets them by name, as `interactions.chat.tools` has them
function M.tools(use)
  adapters.definitions('codecompanion', function(definitions)
    local tools = {}
    for _, definition in ipairs(definitions) do
      tools[definition.name] = {
        description = definition.description,
        callback = function()
          return tool_of(definition)
        end,
      }
    end
    use(tools)
  end)
end

---Called by CodeCompanion's own setup.
function M.setup()
  M.tools(function(tools)
    local known = require('codecompanion.config').interactions.chat.tools
    local group =
      { description = 'Read and change files; you review each change', tools = vim.tbl_keys(tools) }
    for name, tool in pairs(tools) do
      known[name] = tool
    end
    known.groups.agentfs = group
  end)
end

return M
