---Installs the server: with pipx, with uv, or into an environment of its own below Neovim's data folder.
local client = require('agentfs.client')
local config = require('agentfs.config')
local notice = require('agentfs.notice')
local scratch = require('agentfs.scratch')
local M = {}

local PACKAGE = 'agentfs-lsp'
local PYTHONS = { 'python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11' }

---What is installed: the clone that contains this plugin, else the published package.
---@return string
function M.source()
  if config.values.install.source then
    return config.values.install.source
  end
  local here = debug.getinfo(1, 'S').source:sub(2)
  local clone = vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(here), '../../../..'))
  local is_clone = vim.uv.fs_stat(vim.fs.joinpath(clone, 'server', 'agentfs_lsp')) ~= nil
  return is_clone and vim.uv.fs_realpath(clone) or PACKAGE
end

---A Python that can run the server.
---@return string?
function M.python()
  for _, name in ipairs(PYTHONS) do
    if vim.fn.executable(name) == 1 then
      local version = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
      if vim.system({ name, '-c', version }):wait(5000).code == 0 then
        return name
      end
    end
  end
end

---@class agentfs.Way
---@field title string
---@field commands string[][]
---@field command string[]? the server, where it would not be found otherwise

---The ways that this machine has, the best first.
---@return agentfs.Way[]
function M.ways()
  local ways, source = {}, M.source()
  if vim.fn.executable('uv') == 1 then
    table.insert(ways, { title = 'uv tool', commands = { { 'uv', 'tool', 'install', '--force', source } } })
  end
  if vim.fn.executable('pipx') == 1 then
    table.insert(ways, { title = 'pipx', commands = { { 'pipx', 'install', '--force', source } } })
  end
  local python = M.python()
  if python then
    local venv = vim.fs.dirname(vim.fs.dirname(client.own_command()))
    table.insert(ways, {
      title = 'an environment of its own in ' .. vim.fn.fnamemodify(venv, ':~'),
      commands = {
        { python, '-m', 'venv', venv },
        { vim.fs.joinpath(venv, 'bin', 'python'), '-m', 'pip', 'install', '--upgrade', source },
      },
    })
  end
  return ways
end

---@param commands string[][]
---@param done fun(failed?: string)
local function run(commands, done, at)
  local command = commands[at or 1]
  if not command then
    return done(nil)
  end
  vim.system(command, { text = true }, function(result)
    vim.schedule(function()
      if result.code ~= 0 then
        return done(table.concat(command, ' ') .. '\n' .. (result.stderr or '') .. (result.stdout or ''))
      end
      run(commands, done, (at or 1) + 1)
    end)
  end)
end

---@param way agentfs.Way
local function install(way)
  notice.tell(('installing with %s…'):format(way.title))
  run(way.commands, function(failed)
    if failed then
      notice.warn('the server could not be installed.')
      return scratch.show('install', vim.split(require('agentfs.text').code(failed), '\n'))
    end
    if not client.command() then
      return notice.warn('installed, but Neovim does not find agentfs-lsp: add ~/.local/bin to PATH.')
    end
    notice.tell('installed. :Agentfs demo shows what it does.')
    require('agentfs.events').fire('Installed', { title = way.title })
    client.attach_all()
  end)
end

---Ask how to install the server, and do so without blocking Neovim.
function M.run()
  local ways = M.ways()
  if #ways == 0 then
    return notice.warn('Python 3.11 or newer with venv and pip is missing, and so are uv and pipx.')
  end
  vim.ui.select(ways, {
    prompt = ('Install %s with: '):format(M.source()),
    kind = 'agentfs',
    format_item = function(way)
      return way.title
    end,
  }, function(way)
    if way then
      install(way)
    end
  end)
end

return M
