---An agent's short turn without an agent: it proposes changes of a file in a folder of its own, as an agent would.
local client = require('agentfs.client')
local events = require('agentfs.events')
local idle = require('agentfs.idle')
local notice = require('agentfs.notice')
local M = {}

local TEXT = [[
def greet(name):
    print("Hello, " + name)


greet("world")
]]

local AGENT = { session = 'demo', agent = 'Demo' }

---@param server vim.lsp.Client
---@param method string
---@param params table
---@param use fun(answer: table)
local function ask(server, method, params, use)
  client.request(server, method, vim.tbl_extend('force', AGENT, params), function(err, answer)
    if err then
      return notice.warn(err.message)
    end
    use(answer)
  end)
end

---@param answer table
local function outcome(answer)
  local review = answer.data.review or answer.context.review
  local said = review and review.decision or answer.status
  return review and review.feedback and ('%s: "%s"'):format(said, review.feedback) or said
end

---@param server vim.lsp.Client
local function second(server)
  local operations = {
    {
      tool = 'write',
      params = { path = 'test_greet.py', content = 'from greet import greet\n\ngreet("test")\n' },
    },
    {
      tool = 'write',
      params = { path = 'docs/usage.md', content = '# Usage\n\nCall `greet` with a name.\n' },
    },
  }
  ask(server, 'agentfs/batch', {
    operations = operations,
    atomic = false,
    explanation = 'Two new files. Decide on each.',
  }, function(answer)
    notice.tell(
      ('the agent was told: %s. This was the demo; its files are in %s'):format(
        outcome(answer),
        server.config.root_dir
      )
    )
  end)
end

---@param server vim.lsp.Client
local function first(server)
  ask(server, 'agentfs/read', { path = 'greet.py' }, function()
    ask(server, 'agentfs/edit', {
      path = 'greet.py',
      old_string = '    print("Hello, " + name)',
      new_string = '    print(f"Hello, {name}!")',
      explanation = 'An f-string is easier to read. Accept with ga, reject with gr, or edit the right side first.',
    }, function(answer)
      notice.tell(('the agent was told: %s. It goes on…'):format(outcome(answer)))
      second(server)
    end)
  end)
end

---Run the demo in a new folder.
function M.run()
  if not client.command() then
    return notice.warn('agentfs-lsp is not installed. :Agentfs install')
  end
  local root = vim.fn.tempname()
  vim.fn.mkdir(vim.fs.joinpath(root, '.git'), 'p')
  root = assert(vim.uv.fs_realpath(root))
  local file = vim.fs.joinpath(root, 'greet.py')
  vim.fn.writefile(vim.split(vim.trim(TEXT), '\n'), file)
  M.root = root
  client.start(root)
  vim.cmd.tabedit(vim.fn.fnameescape(file))
end

---@param proposal agentfs.Proposal
local function show(proposal)
  local review = require('agentfs.review')
  if proposal.session == AGENT.session then
    idle.run('demo', function()
      if not review.view and proposal.state == 'waiting' then
        review.open(proposal) -- the user has asked for it
      end
    end)
  end
end

function M.setup()
  events.on('Started', function(told)
    if told.root == M.root then
      M.root = nil
      first(assert(client.get(told.client_id)))
    end
  end)
  events.on('Proposed', show)
end

return M
