---The review of a change: which one is shown, what the keys do, and what happens when it ends. `tab.lua` and `inline.lua` draw it.
local batch = require('agentfs.batch')
local buffers = require('agentfs.buffers')
local config = require('agentfs.config')
local drafts = require('agentfs.drafts')
local guard = require('agentfs.guard')
local idle = require('agentfs.idle')
local notice = require('agentfs.notice')
local proposals = require('agentfs.proposals')
local settle = require('agentfs.settle')
local M = {}

---@class agentfs.View: agentfs.Shown
---@field kind 'tab'|'inline'
---@field at integer the file that is shown
---@field message? string what the user is told in it
---@field always? boolean
---@field origin { tab: integer, win: integer } where the user came from
---@field buffer integer what accepting accepts
---@field shown integer the window that shows it

---@type agentfs.View?
M.view = nil

local function module(view)
  return require('agentfs.' .. view.kind)
end

---@param view agentfs.View
---@return agentfs.File
local function file_of(view)
  return view.proposal.files[view.at]
end

---Tell the user something: in the review, if one is open.
---@param message? string
function M.say(message)
  if M.view then
    M.view.message = message
    module(M.view).refresh(M.view)
  end
  if message and not (M.view and guard.is_inside(M.view)) then
    notice.tell(message)
  end
end

---Show a change.
---@param proposal agentfs.Proposal
---@param options? { auto?: boolean, at?: integer, diff?: boolean }
function M.open(proposal, options)
  options = options or {}
  if proposal.state ~= 'waiting' then
    return notice.tell('this change no longer waits for you.')
  end
  local origin = { tab = vim.api.nvim_get_current_tabpage(), win = vim.api.nvim_get_current_win() }
  if M.view then
    if M.view.proposal == proposal then
      return vim.api.nvim_set_current_win(M.view.shown)
    end
    origin = M.view.origin
    M.close()
  end
  for _, file in ipairs(proposal.files) do
    local draft = drafts.take(file.path, file.proposed_text)
    if draft then
      buffers.proposed(proposal, file, draft)
    end
  end
  local inline = config.values.view == 'inline'
    and not options.diff
    and require('agentfs.inline').fits(proposal)
  ---@type agentfs.View
  local view = {
    kind = inline and 'inline' or 'tab',
    proposal = proposal,
    at = options.at or batch.undecided(proposal, 1) or 1,
    auto = options.auto,
    origin = origin,
    wins = {},
    watched = {},
    entered = vim.uv.hrtime() / 1e6,
    buffer = -1,
    shown = -1,
  }
  M.view = view
  if options.auto then
    idle.expect_pause()
  end
  module(view).open(view)
end

---Show the change that is reviewed in its file as a diff.
function M.open_diff()
  local view = M.view
  if view and view.kind == 'inline' then
    M.close()
    M.open(view.proposal, { diff = true })
  end
end

---Show another change instead, or none.
---@param proposal? agentfs.Proposal
local function go_on(proposal)
  M.close()
  if proposal then
    M.open(proposal)
  end
end

---@param step 1|-1
---@return agentfs.Proposal?
function M.beside(step)
  local all = proposals.waiting()
  local at = step > 0 and 0 or #all + 1
  for index, proposal in ipairs(all) do
    if M.view and proposal == M.view.proposal then
      at = index
    end
  end
  local found = all[(at + step - 1) % math.max(1, #all) + 1]
  return found ~= (M.view and M.view.proposal) and found or nil
end

---Send the decision on all files.
---@param view agentfs.View
---@param feedback? string
local function send(view, feedback)
  local proposal = view.proposal
  local changed = batch.changed(proposal)
  if changed then
    proposal.decisions[proposal.files[changed].path] = nil
    view.at = changed
    module(view).show_file(view)
    return M.say('This file was edited after you had accepted it. Look at it again.')
  end
  local params = batch.params(proposal, view.always or false, feedback)
  settle.send(proposal, params, function(refusal)
    if refusal and refusal.code == 'INVALID_PARAM' then
      proposal.decisions, proposal.reasons, view.always = {}, {}, nil
      return M.say(refusal.reason)
    end
    if refusal then
      notice.warn(refusal.reason)
    end
    if M.view == view then
      go_on(config.values.advance and M.beside(1) or nil)
    end
  end)
end

---@param view agentfs.View
---@param feedback? string
local function decided(view, feedback)
  view.message = nil
  local next_file = batch.undecided(view.proposal, view.at)
  if next_file then
    view.at = next_file
    return module(view).show_file(view)
  end
  send(view, feedback)
end

---@param key string
---@param always? boolean
---@param feedback? string
function M.accept(key, always, feedback)
  local view = M.view
  if not view then
    return notice.tell('no review is open.')
  end
  local inline = view.kind == 'inline' and module(view)
  if inline and not inline.has_room(view) then
    M.open_diff()
    return M.say('The window is too low for this change now. Press the key again after reading.')
  elseif inline then
    inline.refit(view)
  end
  local refusal = guard.refusal(view, file_of(view), view.buffer, view.shown, key)
  if refusal then
    return M.say(refusal)
  end
  view.always = view.always or always
  batch.decide(view.proposal, file_of(view), 'accepted', feedback)
  decided(view)
end

---Reject the file that is shown, or all where they land together. Without a reason, ask for one.
---@param reason? string
function M.reject(reason)
  local view = M.view
  if not view or not guard.is_inside(view) then
    return notice.tell('go into a review first.')
  end
  local proposal = view.proposal
  local is_all, shown = proposal.atomic and batch.is_batch(proposal), view.at
  local function reject(said)
    if said == nil or M.view ~= view or proposal.state ~= 'waiting' then
      return
    end
    for at, file in ipairs(proposal.files) do
      if is_all or at == shown then
        batch.decide(proposal, file, 'rejected', not is_all and at == shown and said or nil)
      end
    end
    decided(view, is_all and said or nil)
  end
  if reason then
    return reject(reason)
  end
  local what = is_all and ('Reject all %d files, because: '):format(#proposal.files) or 'Reject, because: '
  vim.ui.input({ prompt = what }, reject)
end

---@param step 1|-1
function M.show_file(step)
  local view = M.view
  if view then
    view.at = (view.at - 1 + step) % #view.proposal.files + 1
    view.message = nil
    module(view).show_file(view)
  end
end

---@param index integer
function M.show_file_at(index)
  if M.view and M.view.proposal.files[index] then
    M.view.at = index
    module(M.view).show_file(M.view)
  end
end

---@param step 1|-1
function M.step(step)
  local proposal = M.beside(step)
  if proposal then
    return M.open(proposal)
  end
  M.say(M.view and 'No other change waits.' or 'no change waits.')
end

---What a key does.
---@param name string
function M.act(name)
  local keys = config.values.keys
  local acts = {
    accept = function()
      M.accept(keys.accept --[[@as string]])
    end,
    always = function()
      M.accept(keys.always --[[@as string]], true)
    end,
    reject = function()
      M.reject()
    end,
    later = function()
      M.close()
    end,
    next_file = function()
      M.show_file(1)
    end,
    prev_file = function()
      M.show_file(-1)
    end,
    next = function()
      M.step(1)
    end,
    prev = function()
      M.step(-1)
    end,
  }
  acts[name]()
end

local ENDED = {
  withdrawn = 'was withdrawn by the agent. Nothing was changed.',
  timed_out = 'was not decided in time. Nothing was changed.',
  conflict = 'is a conflict: the file has changed. Nothing was changed.',
  failed = 'failed. Look at what its files hold now.',
}
local ELSEWHERE = {
  landed = 'was accepted in another place.',
  editor = 'was accepted in another place, and waits in its buffer.',
  rejected = 'was rejected in another place. Nothing was changed.',
}
local OF_FILE = {
  editor = 'waits in its buffer',
  conflict = 'has changed, and was left alone',
  failed = 'failed (look at what it holds now)',
}
local WITHDRAWN = {
  server = 'is lost: the server ended. What had landed is in your files.',
  disconnected = 'was withdrawn: the agent was disconnected. Nothing was changed.',
  root_removed = 'was withdrawn: its folder was closed. Nothing was changed.',
  settings = 'was withdrawn: the settings no longer allow it. Nothing was changed.',
  shutdown = 'was withdrawn: the server ended. Nothing was changed.',
}

---The files of a batch that did not land where others did.
---@param files? { path: string, outcome: string }[]
---@return string?
local function apart(files)
  local said = {}
  for _, file in ipairs(files or {}) do
    if OF_FILE[file.outcome] then
      table.insert(said, ('%s %s'):format(file.path, OF_FILE[file.outcome]))
    end
  end
  return #said > 0 and table.concat(said, ', ') or nil
end

---Remove what the review of an ended proposal has shown, and keep what the user had typed unless it has landed.
---@param proposal agentfs.Proposal
local function clean(proposal)
  local typed, is_kept = buffers.drop(proposal), false
  local is_over = proposal.outcome == 'landed'
    or proposal.outcome == 'editor'
    or proposal.outcome == 'rejected'
  for _, file in ipairs(proposal.files) do
    if typed[file.path] and not is_over then
      drafts.keep(file.path, file.proposed_text, typed[file.path])
      is_kept = true
    end
  end
  if is_kept then
    notice.warn('what you had typed is kept: :Agentfs draft')
  end
end

---Leave the review; the layout is as it was before. What is undecided waits on.
function M.close()
  local view = M.view
  if view then
    M.view = nil
    module(view).close(view)
    if view.proposal.state == 'ended' then
      clean(view.proposal)
    end
  end
end

---A change has ended without the user, who is in its review: say so there, and do not take the window away under a key. A review in
---which something was typed stays.
---@param view agentfs.View
---@param said string
local function end_gently(view, said)
  M.say(('This change %s'):format(said))
  local file = file_of(view)
  local now = buffers.text_of(view.proposal, file)
  if not now or now == file.proposed_text then
    idle.run('ended', function()
      if M.view == view then
        M.close()
      end
    end)
  end
end

---@param settled { proposal: agentfs.Proposal, outcome: string, reason?: string, files?: table }
local function ended(settled)
  local proposal, view = settled.proposal, M.view
  local is_shown = view ~= nil and view.proposal == proposal
  local elsewhere = is_shown and not proposal.is_own and ELSEWHERE[settled.outcome]
  local said = WITHDRAWN[settled.reason] or ENDED[settled.outcome] or elsewhere
  local others = apart(settled.files)
  if others then
    notice.warn(('%s. The rest has landed: %s'):format(others, proposal.title))
  elseif said then
    notice.warn(('%s %s'):format(proposal.title, said))
    if is_shown and guard.is_inside(view) then
      return end_gently(view, said)
    end
  end
  if is_shown then
    M.close()
  end
  clean(proposal)
end

---@param group integer
function M.setup(group)
  require('agentfs.events').on('Settled', ended)
  vim.api.nvim_create_autocmd('WinEnter', {
    group = group,
    callback = function()
      if M.view then
        module(M.view).on_enter(M.view)
      end
    end,
  })
  vim.api.nvim_create_autocmd('WinResized', {
    group = group,
    callback = function()
      if M.view and M.view.kind == 'inline' then
        module(M.view).refit(M.view)
      end
    end,
  })
  vim.api.nvim_create_autocmd('WinClosed', {
    group = group,
    callback = function(event)
      local view = M.view
      if view and vim.tbl_contains(vim.tbl_values(view.wins), tonumber(event.match)) then
        vim.schedule(function()
          if M.view == view then
            M.close()
          end
        end)
      end
    end,
  })
end

return M
