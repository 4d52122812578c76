---The changes that wait for the user. Only this module changes what state they are in.
local client = require('agentfs.client')
local events = require('agentfs.events')
local M = {}

---@alias agentfs.State 'loading'|'waiting'|'decided'|'ended'

---@class agentfs.File
---@field uri string
---@field path string
---@field operation 'create'|'update'|'delete'
---@field version? integer there if the file is open
---@field base_text string
---@field proposed_text string
---@field warnings { kind: string, line: integer, detail: string }[]
---@field lines_added integer
---@field lines_removed integer

---@class agentfs.Proposal
---@field id string
---@field client_id integer
---@field state agentfs.State
---@field title string
---@field tool string
---@field session string
---@field agent string
---@field explanation string
---@field atomic boolean
---@field blind? boolean
---@field files agentfs.File[]
---@field decisions table<string, { decision: 'accepted'|'rejected', text?: string, reason?: string }> by path, of a batch
---@field reasons string[] what the user wrote, except about single rejected files
---@field outcome? string
---@field is_own? boolean whether it was decided here, and not in a terminal

---Which state follows which.
---@type table<agentfs.State, table<string, agentfs.State>>
local NEXT = {
  loading = { load = 'waiting', finish = 'ended' },
  waiting = { decide = 'decided', finish = 'ended' },
  decided = { refuse = 'waiting', finish = 'ended' },
  ended = {},
}

---@type agentfs.Proposal[] in the order in which they arrived
local all = {}

---@param id string
---@return agentfs.Proposal?
function M.get(id)
  for _, proposal in ipairs(all) do
    if proposal.id == id then
      return proposal
    end
  end
end

---Those that can be decided.
---@return agentfs.Proposal[]
function M.waiting()
  return vim.tbl_filter(function(proposal)
    return proposal.state == 'waiting'
  end, all)
end

---Whether a decision was sent to this server that it has not carried out yet.
---@param client_id integer?
function M.is_deciding(client_id)
  return vim.iter(all):any(function(proposal)
    return proposal.client_id == client_id and proposal.state == 'decided'
  end)
end

---@param proposal agentfs.Proposal
---@param step 'load'|'decide'|'refuse'|'finish'
---@return boolean moved false if this step does not fit the state
function M.move(proposal, step)
  local state = NEXT[proposal.state][step]
  if state then
    proposal.state = state
    vim.cmd.redrawstatus({ bang = true })
  end
  return state ~= nil
end

---What autocommands are told: no texts.
---@param proposal agentfs.Proposal
function M.described(proposal)
  local files = vim.tbl_map(function(file)
    return { uri = file.uri, path = file.path, operation = file.operation }
  end, proposal.files)
  return {
    id = proposal.id,
    title = proposal.title,
    tool = proposal.tool,
    session = proposal.session,
    agent = proposal.agent,
    explanation = proposal.explanation,
    files = files,
  }
end

---A proposal was announced: load its texts.
---@param told table
---@param client_id integer
function M.add(told, client_id)
  if M.get(told.id) then
    return
  end
  local proposal = vim.tbl_extend('force', told, {
    client_id = client_id,
    state = 'loading',
    decisions = {},
    reasons = {},
  })
  table.insert(all, proposal)
  client.request(client.get(client_id), 'agentfs/proposal', { id = told.id }, function(err, result)
    if err or result.ok == false then
      return M.finish({ id = told.id, outcome = 'failed' })
    end
    proposal.files = result.files
    if not M.move(proposal, 'load') then
      return
    end
    if result.state == 'landing' then -- it was decided before the plugin was loaded again
      return require('agentfs.settle').resume(proposal)
    end
    events.fire('Proposed', proposal, M.described(proposal))
  end)
end

---A proposal has ended.
---@param settled { id: string, outcome: string, reason?: string, files?: table }
function M.finish(settled)
  for at, proposal in ipairs(all) do
    local is_own = proposal.state == 'decided'
    if proposal.id == settled.id and M.move(proposal, 'finish') then
      proposal.outcome, proposal.is_own = settled.outcome, is_own
      table.remove(all, at)
      local told = vim.tbl_extend('force', M.described(proposal), settled)
      events.fire('Settled', vim.tbl_extend('force', { proposal = proposal }, settled), told)
      vim.cmd.redrawstatus({ bang = true })
      return
    end
  end
end

---Find the proposals of a server that ran before this plugin was loaded.
---@param id integer
function M.adopt(id)
  client.request(client.get(id), 'agentfs/status', {}, function(_, answer)
    for _, pending in ipairs(answer and answer.data and answer.data.pending or {}) do
      if pending.state ~= 'queued' and not M.get(pending.id) then
        client.request(client.get(id), 'agentfs/proposal', { id = pending.id }, function(_, found)
          if found and found.ok ~= false then
            M.add(found, id)
          end
        end)
      end
    end
  end)
end

---The server of these proposals is gone, and they with it.
---@param id integer
function M.lose(id)
  for _, proposal in ipairs(vim.list_slice(all)) do
    if proposal.client_id == id then
      M.finish({ id = proposal.id, outcome = 'failed', reason = 'server' })
    end
  end
end

---What the proposal does to its files, as `+1/-1`.
---@param file agentfs.File
function M.counts(file)
  return ('+%d/-%d'):format(file.lines_added or 0, file.lines_removed or 0)
end

---Who proposes it.
---@param proposal agentfs.Proposal
function M.agent(proposal)
  return proposal.agent ~= '' and proposal.agent or proposal.tool == 'undo' and 'Undo' or 'an agent'
end

return M
