---The server: starts it for each workspace, attaches buffers to it, and speaks with it.
local compat = require('agentfs.compat')
local config = require('agentfs.config')
local events = require('agentfs.events')
local notice = require('agentfs.notice')
local M = {}

M.NAME = 'agentfs'
local PENDING = 'agentfs:pending'
---After the n-th unexpected end, so many ms pass before the next start.
local RESTART_MS = { 200, 1000, 5000, 15000 }
local STEADY_MS = 60000

---@type table<string, integer> the client of each workspace
local clients = {}
---@type table<string, { count: integer, at: number }> unexpected ends of each workspace's server
local ends = {}
---@type table<integer, table<table, true>> the requests of each client without a response
local open = {}
---@type table<integer, table> what each server said last about itself
M.states = {}
local stopping = false

---@param id integer?
---@return vim.lsp.Client?
function M.get(id)
  local client = id and vim.lsp.get_client_by_id(id)
  return client and not compat.is_stopped(client) and client or nil
end

---@return vim.lsp.Client[]
function M.all()
  return vim.tbl_filter(function(client)
    return client.name == M.NAME and not compat.is_stopped(client)
  end, vim.lsp.get_clients({ name = M.NAME }))
end

---The server for a buffer, else that of the current folder, else any.
---@param buffer? integer
---@return vim.lsp.Client?
function M.current(buffer)
  local attached = vim.lsp.get_clients({ name = M.NAME, bufnr = buffer or 0 })[1]
  if attached and not compat.is_stopped(attached) then
    return attached
  end
  local here = M.root_of(vim.fn.getcwd())
  return here and M.get(clients[vim.uv.fs_realpath(here)]) or M.all()[1]
end

---The command that starts the server, or nil if there is none.
---@return string[]?
function M.command()
  if config.values.cmd then
    return vim.fn.executable(config.values.cmd[1]) == 1 and config.values.cmd or nil
  end
  local home = vim.uv.os_homedir() or ''
  for _, path in ipairs({ 'agentfs-lsp', M.own_command(), home .. '/.local/bin/agentfs-lsp' }) do
    if vim.fn.executable(path) == 1 then
      return { path }
    end
  end
end

---The server that `:Agentfs install` puts into an environment of its own.
---@return string
function M.own_command()
  return vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'agentfs', 'venv', 'bin', 'agentfs-lsp')
end

---The workspace that contains a buffer's file or a folder.
---@param source integer|string
---@return string?
function M.root_of(source)
  if type(source) == 'number' and config.values.root then
    return config.values.root(source)
  end
  return vim.fs.root(source, config.values.markers)
end

---Folders are known by where they are, however links spell them.
---@param root string
local function key_of(root)
  return vim.uv.fs_realpath(root) or root
end

local function handler_for(name)
  return function(err, params, context)
    local handlers = require('agentfs.handlers') -- those of the plugin as it was loaded last
    return handlers[name](err, compat.without_null(params), context)
  end
end

local HANDLERS = {
  ['agentfs/proposed'] = 'proposed',
  ['agentfs/settled'] = 'settled',
  ['agentfs/statusChanged'] = 'status_changed',
  ['agentfs/toolsChanged'] = 'tools_changed',
  ['workspace/applyEdit'] = 'apply_edit',
  ['window/showMessageRequest'] = 'question',
  ['window/showMessage'] = 'message',
  ['agentfs/landing'] = 'landing',
  ['agentfs/diagnostics'] = 'diagnostics',
  ['$/cancelRequest'] = 'cancelled',
}

---Start the process. Neovim would tell of an unexpected end with a message that waits for a key.
---@param root string
---@param command string[]
local function spawner(root, command)
  return function(dispatchers)
    local quiet = vim.tbl_extend('force', {}, dispatchers)
    quiet.on_exit = function(code, signal)
      M.last_exit = { code = code, signal = signal }
      dispatchers.on_exit(0, 0)
    end
    return vim.lsp.rpc.start(command, quiet, { cwd = root, env = config.values.env })
  end
end

---@param root string
---@param command string[]
local function configuration(root, command)
  local handlers = {}
  for method, name in pairs(HANDLERS) do
    handlers[method] = handler_for(name)
  end
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental =
    { agentfs = { review = true, save = true, diagnostics = true, user_settings = true } }
  capabilities.general = vim.tbl_extend('force', capabilities.general or {}, {
    positionEncodings = { 'utf-16' }, -- that of most servers: Neovim warns where those of a buffer differ
  })
  local settings = vim.tbl_isempty(config.values.settings) and vim.empty_dict() or config.values.settings
  return {
    name = M.NAME,
    cmd = spawner(root, command),
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    capabilities = capabilities,
    handlers = handlers,
    settings = { agentfs = settings },
    init_options = settings,
    on_exit = function(_, _, id)
      vim.schedule(function()
        require('agentfs.client').ended(root, id)
      end)
    end,
    on_init = function(client)
      vim.schedule(function()
        events.fire('Started', { root = root, client_id = client.id })
      end)
    end,
  }
end

---Start the server of a workspace, unless it runs.
---@param root string
---@return integer? client_id
function M.start(root)
  local key = key_of(root)
  if M.get(clients[key]) then
    return clients[key]
  end
  for _, client in ipairs(M.all()) do -- of the plugin before it was loaded again
    if key_of(client.config.root_dir) == key then
      clients[key] = client.id
      return client.id
    end
  end
  local command = M.command()
  if not command then
    M.missing = true
    return nil
  end
  M.missing = false
  clients[key] = compat.start(configuration(root, command))
  return clients[key]
end

---Whether this buffer shows a file.
---@param buffer integer
local function is_file(buffer)
  return vim.api.nvim_buf_is_loaded(buffer)
    and vim.bo[buffer].buftype == ''
    and vim.api.nvim_buf_get_name(buffer):match('^/') ~= nil
end

---@param buffer integer
function M.attach(buffer)
  if not is_file(buffer) then
    return
  end
  local root = M.root_of(buffer)
  local id = root and M.start(root)
  if id and not vim.lsp.buf_is_attached(buffer, id) then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

---Attach the files that are open, and start the server of the current folder.
function M.attach_all()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(buffer)
  end
  local here = M.root_of(vim.fn.getcwd())
  if here then
    M.start(here)
  end
end

---The server of a workspace has ended.
---@param root string
---@param id integer
function M.ended(root, id)
  local lost = open[id] or {}
  open[id], M.states[id] = nil, nil
  if clients[key_of(root)] == id then
    clients[key_of(root)] = nil
  end
  local expected = stopping or vim.v.exiting ~= vim.NIL
  for request in pairs(lost) do
    request.handler({ code = -32099, message = 'The server ended.' }, nil)
  end
  local told =
    vim.tbl_extend('force', { root = root, client_id = id, expected = expected }, M.last_exit or {})
  events.fire('Exited', told)
  if not expected then
    M.restart_later(root)
  end
end

---@param root string
function M.restart_later(root)
  local now = vim.uv.now()
  local last = ends[root]
  local count = last and now - last.at < STEADY_MS and last.count + 1 or 1
  ends[root] = { count = count, at = now }
  local wait = RESTART_MS[count]
  if not wait then
    events.fire('GaveUp', { root = root })
    return notice.warn(
      'the server ends again and again. :Agentfs status says more, :Agentfs restart tries it.'
    )
  end
  vim.defer_fn(function()
    M.attach_all()
    M.start(root)
  end, wait)
end

---Send a request. `handler` gets the error or the result, also if the server ends before it answers.
---@param client vim.lsp.Client?
---@param method string
---@param params table
---@param handler fun(err: table?, result: any)
---@return fun() cancel
function M.request(client, method, params, handler)
  if not client then
    vim.schedule(function()
      handler({ code = -32098, message = 'The server does not run.' }, nil)
    end)
    return function() end
  end
  local request = { handler = handler }
  open[client.id] = open[client.id] or {}
  open[client.id][request] = true
  local full = vim.tbl_isempty(params) and vim.empty_dict() or params
  compat.flush(client)
  local sent, id = compat.request(client, method, full, function(err, result)
    if open[client.id] then
      open[client.id][request] = nil
    end
    handler(err, compat.without_null(result))
  end)
  if not sent then
    open[client.id][request] = nil
    vim.schedule(function()
      handler({ code = -32099, message = 'The server ended.' }, nil)
    end)
  end
  return function()
    if id and M.get(client.id) then
      compat.cancel(client, id)
    end
  end
end

---End all servers, and start none again until the next start.
---@param after? fun()
function M.stop(after)
  stopping = true
  local running = M.all()
  for _, client in ipairs(running) do
    compat.stop(client)
  end
  local function wait(tries)
    if tries == 0 or #M.all() == 0 then
      stopping = false
      return after and after()
    end
    vim.defer_fn(function()
      wait(tries - 1)
    end, 50)
  end
  wait(120)
end

function M.restart()
  ends = {}
  M.stop(M.attach_all)
end

M.PENDING = PENDING

return M
