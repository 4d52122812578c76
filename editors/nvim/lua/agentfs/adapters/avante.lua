---Tools for avante, in its setup: `custom_tools = require('agentfs.adapters.avante').custom_tools`.
local adapters = require('agentfs.adapters')
local M = {}

---avante's own tools that read or change files past the review, for its `disabled_tools`.
M.own_tools = {
  'bash',
  'copy_path',
  'create',
  'create_dir',
  'delete_path',
  'dispatch_agent',
  'edit_file',
  'insert',
  'move_path',
  'replace_in_file',
  'run_python',
  'str_replace',
  'undo_edit',
  'view',
  'write_to_file',
}

local function fields_of(parameters)
  local fields = {}
  for name, one in pairs(parameters.properties) do
    local optional = not vim.tbl_contains(parameters.required or {}, name)
    table.insert(fields, { name = name, description = one.description, type = one.type, optional = optional })
  end
  return fields
end

---@param definition table
local function tool_of(definition)
  local function func(input, options)
    local cancel, stop
    local params = { name = definition.name, arguments = input, session = 'avante', agent = 'avante' }
    cancel = adapters.call(params, function(text, failed)
      if stop then
        pcall(vim.api.nvim_del_autocmd, stop)
        options.on_complete(not failed and text or nil, failed and text or nil)
      end
    end)
    stop = vim.api.nvim_create_autocmd('User', {
      pattern = 'AvanteLLMEscape', -- the user has stopped the answer: avante goes on by itself
      once = true,
      callback = function()
        stop = nil
        cancel()
      end,
    })
  end
  return {
    name = definition.name,
    description = definition.description,
    param = { type = 'table', fields = fields_of(definition.parameters) },
    returns = { { name = 'result', description = 'What the tool answers', type = 'string' } },
    func = func,
  }
end

---Make avante's custom tools from the server's definitions, once there is a server.
---@param use fun(tools: table[])
function M.tools(use)
  adapters.definitions('avante', function(definitions)
    use(vim.tbl_map(tool_of, definitions))
  end)
end

local known = {}

---The tools, as far as there is a server: avante asks anew for each message.
---@return table[]
function M.custom_tools()
  return known
end

M.tools(function(tools)
  known = tools
end)

return M
