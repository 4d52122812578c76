---Agents' requests. A change that was not decided when the server ended is proposed again to the next one.
local client = require('agentfs.client')
local events = require('agentfs.events')
local proposals = require('agentfs.proposals')
local M = {}

local CHANGES = {
  ['agentfs/write'] = true,
  ['agentfs/edit'] = true,
  ['agentfs/call'] = true,
  ['agentfs/batch'] = true,
}

---@class agentfs.Request
---@field method string
---@field params table
---@field callback fun(answer: table)
---@field root string
---@field cancel fun()

---@type table<string, string> the hash of what each session has read last of each file of a workspace
local known = {}
---@type agentfs.Request[] changes that wait for the server to come back
local orphans = {}
---What an agent is answered if there is no answer from the server.
---@param message string
local function failure(message)
  return {
    status = 'error',
    data = vim.empty_dict(),
    text = message,
    stats = vim.empty_dict(),
    context = { cwd = '.' },
    error = { code = 'EXECUTION_ERROR', message = message },
  }
end

---The path that a request names, in whichever dialect.
---@param params table
local function path_of(params)
  local arguments = type(params.arguments) == 'table' and params.arguments or params
  return arguments.path or arguments.file_path
end

---@param root string
---@param params table
---@param path string
local function key(root, params, path)
  return table.concat({ root, params.session or 'default', path }, '\0')
end

---The request with what its session had read, which the next server does not know.
---@param request agentfs.Request
local function with_hashes(request)
  local params = vim.deepcopy(request.params)
  local function add(one)
    local path = path_of(one)
    one.expected_hash = one.expected_hash or (path and known[key(request.root, params, path)])
  end
  if request.method == 'agentfs/batch' then
    for _, operation in ipairs(params.operations or {}) do
      add(operation.params or {})
    end
  else
    add(params)
  end
  return params
end

---@param request agentfs.Request
---@param params table
local function start(request, params)
  local server = client.current()
  local id = server and server.id
  request.root = server and server.config.root_dir or ''
  request.cancel = client.request(server, request.method, params, function(err, answer)
    if not err then
      local path = path_of(params)
      if path and answer.data and (answer.data.hash or answer.data.landing) then
        known[key(request.root, params, path)] = answer.data.hash -- what landed is not known
      end
      return request.callback(answer)
    end
    if
      err.code == -32099
      and CHANGES[request.method]
      and not proposals.is_deciding(id)
      and not request.is_cancelled
    then
      return table.insert(orphans, request)
    end
    local said = err.code == -32099 and 'The server ended. It is not known whether the change landed.'
      or err.message
    request.callback(failure(said))
  end)
end

---@param method string
---@param params table
---@param callback fun(answer: table)
---@return fun() cancel
function M.send(method, params, callback)
  local request =
    { method = method, params = params, callback = callback, root = '', cancel = function() end }
  start(request, params)
  return function()
    request.is_cancelled = true
    request.cancel()
  end
end

function M.setup()
  events.on('Started', function(told)
    local due = {}
    orphans = vim.tbl_filter(function(request)
      local is_due = request.root == told.root
      if is_due then
        table.insert(due, request)
      end
      return not is_due
    end, orphans)
    for _, request in ipairs(due) do
      start(request, with_hashes(request))
    end
  end)
  events.on('GaveUp', function()
    for _, request in ipairs(orphans) do
      request.callback(failure('The server ended before the change was decided. Nothing was changed.'))
    end
    orphans = {}
  end)
end

return M
