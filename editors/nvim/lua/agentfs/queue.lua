---What waits for the user: tells of it once the user pauses, counts it, and lists it.
local config = require('agentfs.config')
local events = require('agentfs.events')
local idle = require('agentfs.idle')
local notice = require('agentfs.notice')
local proposals = require('agentfs.proposals')
local questions = require('agentfs.questions')
local text = require('agentfs.text')
local M = {}

local TITLE = 'agentfs: pending'
---@type table<string, true> those that the user was told of
local told = {}

---How many changes and questions wait.
---@return integer
function M.count()
  return #proposals.waiting() + #questions.waiting()
end

---For a status line: empty if nothing waits.
---@return string
function M.statusline()
  local count = M.count()
  return count > 0 and ('agentfs: %d'):format(count) or ''
end

local function announce()
  local review = require('agentfs.review')
  local new = vim.tbl_filter(function(proposal)
    return not told[proposal.id] and not (review.view and review.view.proposal == proposal)
  end, proposals.waiting())
  if #new == 0 then
    return
  end
  for _, proposal in ipairs(new) do
    told[proposal.id] = true
  end
  if config.values.open == 'auto' and not review.view then
    return review.open(new[1], { auto = true })
  end
  if config.values.notify then
    local count = #proposals.waiting()
    local what = count == 1 and ('%s: %s'):format(proposals.agent(new[1]), new[1].title)
      or ('%d changes wait'):format(count)
    notice.tell(what .. '. :Agentfs review')
  end
end

---The change of the file that is shown, else the first one.
---@return agentfs.Proposal?
function M.first()
  local all = proposals.waiting()
  for _, proposal in ipairs(all) do
    for _, file in ipairs(proposal.files) do
      if require('agentfs.documents').find(file.uri) == vim.api.nvim_get_current_buf() then
        return proposal
      end
    end
  end
  return all[1]
end

---Review a change: that with this id, or the first.
---@param id? string
function M.review(id)
  local proposal
  if id then
    proposal = proposals.get(id)
  else
    proposal = M.first()
  end
  if proposal then
    return require('agentfs.review').open(proposal)
  end
  if not id and questions.waiting()[1] then
    return questions.answer()
  end
  notice.tell(id and 'no such change waits.' or 'no change waits.')
end

---The line, from 1 on, where a file changes first.
---@param file agentfs.File
local function first_line(file)
  local hunk = text.hunks(file.base_text or '', file.proposed_text or '')[1]
  return hunk and math.max(1, hunk[1]) or 1
end

---What waits, for the quickfix list.
---@return table[]
function M.items()
  local items = {}
  for _, proposal in ipairs(proposals.waiting()) do
    for _, file in ipairs(proposal.files) do
      table.insert(items, {
        filename = vim.uri_to_fname(file.uri),
        lnum = first_line(file),
        text = text.line(('%s: %s'):format(proposals.agent(proposal), proposal.title)),
        user_data = proposal.id,
      })
    end
  end
  return items
end

---List what waits in the quickfix window, where Enter reviews.
function M.list()
  local items = M.items()
  vim.fn.setqflist({}, ' ', { title = TITLE, items = items })
  if #items == 0 then
    return M.review()
  end
  vim.cmd('botright copen')
  vim.keymap.set('n', '<CR>', function()
    local list = vim.fn.getqflist({ title = true, items = true })
    local item = list.items[vim.api.nvim_win_get_cursor(0)[1]]
    if list.title ~= TITLE or not item then
      return '<CR>'
    end
    vim.schedule(function()
      vim.cmd('cclose')
      M.review(item.user_data)
    end)
    return '<Ignore>'
  end, { buffer = 0, expr = true, desc = 'agentfs: review this change' })
end

---Bring the quickfix list up to date, if it is the one of what waits.
local function refresh_list()
  if vim.fn.getqflist({ title = true }).title == TITLE then
    vim.fn.setqflist({}, 'r', { title = TITLE, items = M.items() })
  end
end

function M.setup()
  told = {}
  events.on('Proposed', function()
    idle.run('announce', announce)
    refresh_list()
  end)
  events.on('Settled', function(settled)
    told[settled.id] = nil
    refresh_list()
  end)
end

return M
