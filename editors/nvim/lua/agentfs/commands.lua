---The command `:Agentfs`.
local M = {}

---@class agentfs.Command
---@field does string
---@field run fun(rest: string, words: string[])
---@field complete? fun(): string[]

local function waiting_ids()
  local proposals = require('agentfs.proposals')
  return vim.tbl_map(function(proposal)
    return proposal.id
  end, proposals.waiting())
end

---@param rest string
local function given(rest)
  return rest ~= '' and rest or nil
end

---@type table<string, agentfs.Command>
M.COMMANDS = {
  pending = {
    does = 'list what waits, in the quickfix window',
    run = function()
      require('agentfs.queue').list()
    end,
  },
  review = {
    does = 'review what waits',
    run = function(rest)
      require('agentfs.queue').review(given(rest))
    end,
    complete = waiting_ids,
  },
  next = {
    does = 'review the next change that waits',
    run = function()
      require('agentfs.review').step(1)
    end,
  },
  prev = {
    does = 'review the previous one',
    run = function()
      require('agentfs.review').step(-1)
    end,
  },
  accept = {
    does = 'accept what the review shows; words that follow go to the agent',
    run = function(rest)
      require('agentfs.review').accept(':Agentfs accept', false, given(rest))
    end,
  },
  always = {
    does = "accept it, and allow the session's later changes",
    run = function(rest)
      require('agentfs.review').accept(':Agentfs always', true, given(rest))
    end,
  },
  reject = {
    does = 'reject what the review shows; words that follow are the reason',
    run = function(rest)
      require('agentfs.review').reject(given(rest))
    end,
  },
  diff = {
    does = 'show the change that is reviewed in its file as a diff in a tab, where it can be edited',
    run = function()
      require('agentfs.review').open_diff()
    end,
  },
  later = {
    does = 'decide later',
    run = function()
      require('agentfs.review').close()
    end,
  },
  answer = {
    does = 'answer a question, such as whether an agent may read a file',
    run = function()
      require('agentfs.questions').answer()
    end,
  },
  draft = {
    does = 'show what you had typed into a change that has ended',
    run = function(rest)
      require('agentfs.drafts').show(given(rest))
    end,
    complete = function()
      return require('agentfs.drafts').paths()
    end,
  },
  history = {
    does = 'list the changes that landed',
    run = function(rest)
      require('agentfs.history').list(given(rest))
    end,
    complete = function()
      return vim.fn.getcompletion('', 'file')
    end,
  },
  undo = {
    does = 'propose to undo a change that landed: the last, or that with this id',
    run = function(rest)
      require('agentfs.history').undo(given(rest))
    end,
    complete = function()
      return require('agentfs.history').ids()
    end,
  },
  mode = {
    does = 'review every change (manual), or none that the rules leave open (auto_edit)',
    run = function(rest)
      require('agentfs.server').set_mode(rest)
    end,
    complete = function()
      return { 'manual', 'auto_edit' }
    end,
  },
  agents = {
    does = 'list the agents outside Neovim, and disconnect one',
    run = function()
      require('agentfs.server').agents()
    end,
  },
  demo = {
    does = 'an agent that needs no model proposes changes of a file of its own',
    run = function()
      require('agentfs.demo').run()
    end,
  },
  install = {
    does = 'install the server',
    run = function()
      require('agentfs.install').run()
    end,
  },
  status = {
    does = 'show whether everything works',
    run = function()
      require('agentfs.status').show()
    end,
  },
  start = {
    does = 'start the server of this folder',
    run = function()
      require('agentfs.server').start()
    end,
  },
  stop = {
    does = 'end the servers',
    run = function()
      require('agentfs.client').stop()
    end,
  },
  restart = {
    does = 'end the servers, and start them again',
    run = function()
      require('agentfs.client').restart()
    end,
  },
  help = {
    does = 'show the help',
    run = function()
      vim.cmd('help agentfs')
    end,
  },
}

---@param args { args: string, fargs: string[] }
function M.run(args)
  local name = args.fargs[1] or 'review'
  local command = M.COMMANDS[name]
  if not command then
    return require('agentfs.notice').warn(('there is no :Agentfs %s.'):format(name))
  end
  command.run(vim.trim(args.args:sub(#name + 1)))
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name = line:match('^%s*%S+%s+(%S+)%s')
  local words = vim.tbl_keys(M.COMMANDS)
  if name then
    words = M.COMMANDS[name] and M.COMMANDS[name].complete and M.COMMANDS[name].complete() or {}
  end
  table.sort(words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

return M
