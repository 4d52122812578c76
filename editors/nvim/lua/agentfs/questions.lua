---Questions of the server, such as whether an agent may read a protected file. They wait until the user answers.
local async = require('agentfs.async')
local events = require('agentfs.events')
local idle = require('agentfs.idle')
local notice = require('agentfs.notice')
local text = require('agentfs.text')
local M = {}

---@class agentfs.Question
---@field client_id integer
---@field message string
---@field actions { title: string }[]
---@field answer fun(action: table?)

---@type agentfs.Question[]
local all = {}

---@return agentfs.Question[]
function M.waiting()
  return all
end

---@param question agentfs.Question
local function remove(question)
  all = vim.tbl_filter(function(other)
    return other ~= question
  end, all)
  vim.cmd.redrawstatus({ bang = true })
end

---A handler of a request: returns the answer once there is one.
---@param params { message: string, actions: { title: string }[] }
---@param client_id integer
function M.ask(params, client_id)
  local action = async.await(function(done)
    local question =
      { client_id = client_id, message = params.message, actions = params.actions or {}, answer = done }
    table.insert(all, question)
    events.fire('Question', { message = params.message, client_id = client_id })
    idle.run('question', function()
      if vim.tbl_contains(all, question) then
        notice.tell(('%s :Agentfs answer'):format(params.message))
      end
    end)
    vim.cmd.redrawstatus({ bang = true })
  end)
  return action or vim.NIL
end

---The server withdrew a request. If that is a question, Neovim does not tell which: with several, the others stay, and answers to withdrawn ones are ignored.
---@param id string|integer
---@param client_id integer
function M.cancel(id, client_id)
  local question = all[1]
  if #all == 1 and question.client_id == client_id and tostring(id):find('-question-', 1, true) then
    remove(question)
    question.answer(nil)
  end
end

---@param client_id integer
function M.lose(client_id)
  for _, question in ipairs(vim.list_slice(all)) do
    if question.client_id == client_id then
      remove(question)
    end
  end
end

---Ask the user the oldest question.
function M.answer()
  local question = all[1]
  if not question then
    return notice.tell('no question waits.')
  end
  vim.ui.select(question.actions, {
    prompt = text.line(question.message) .. ' ',
    kind = 'agentfs',
    format_item = function(action)
      return text.line(action.title)
    end,
  }, function(action)
    if action and vim.tbl_contains(all, question) then
      remove(question)
      question.answer(action)
    end
  end)
end

function M.setup()
  events.on('Exited', function(told)
    M.lose(told.client_id)
    require('agentfs.proposals').lose(told.client_id)
  end)
  events.on('Started', function(told)
    require('agentfs.proposals').adopt(told.client_id)
  end)
end

return M
