---Sends the user's decisions, applies what the server answers, and saves (docs/protocol.md, 9.1).
local async = require('agentfs.async')
local client = require('agentfs.client')
local documents = require('agentfs.documents')
local notice = require('agentfs.notice')
local proposals = require('agentfs.proposals')
local M = {}

---What becomes of a proposal whose decision is refused. The others end with `agentfs/settled` alone.
local REFUSED = { CONFLICT = 'conflict', WITHDRAWN = 'withdrawn', TIMEOUT = 'timed_out' }

---@param method string
---@return table result
local function ask(proposal, method, params)
  return async.await(function(done)
    local full = vim.tbl_extend('force', { id = proposal.id }, params)
    client.request(client.get(proposal.client_id), method, full, function(err, result)
      done(err and { ok = false, code = 'GONE', reason = err.message } or result)
    end)
  end)
end

---Apply an edit, and take it back if the server says so.
---@return table? refusal
local function land(proposal, edit)
  local encoding = assert(client.get(proposal.client_id)).offset_encoding
  documents.wait_until_editable()
  local files = documents.apply(edit, encoding)
  if proposal.is_resumed then -- it may have been applied before
    for _, file in ipairs(files) do
      file.applied = true
    end
  end
  local answer = ask(proposal, 'agentfs/applied', { files = files })
  if not answer.ok then
    if answer.revert then
      documents.wait_until_editable()
      for _, file in ipairs(documents.apply(answer.revert, encoding)) do
        if not file.applied then
          notice.warn(('the change in %s could not be taken back. Undo it there.'):format(file.uri))
        end
      end
    end
    return answer
  end
  if #answer.save > 0 then
    local saved = vim.tbl_map(documents.save, answer.save)
    ask(proposal, 'agentfs/saved', { files = saved })
    for _, file in ipairs(saved) do
      if not file.saved then
        notice.warn(('%s was not saved: %s'):format(vim.fs.basename(file.uri), file.reason))
      end
    end
  end
end

---@param proposal agentfs.Proposal
---@param decision table
---@param told fun(refusal: table?)
local function carry_out(proposal, decision, told)
  async.run(function()
    local answer = ask(proposal, 'agentfs/settle', decision)
    if answer.ok and answer.apply then
      answer = land(proposal, answer.apply) or answer
    end
    if answer.ok then
      return told(nil)
    end
    if answer.code == 'INVALID_PARAM' then -- nothing was decided
      proposals.move(proposal, 'refuse')
    elseif answer.code ~= 'GONE' then
      proposals.finish({ id = proposal.id, outcome = REFUSED[answer.code] or 'failed' })
    end
    told(answer)
  end)
end

---Send a decision, once. `told` gets the server's refusal, or nil when the decision was carried out.
---@param proposal agentfs.Proposal
---@param decision table the params of `agentfs/settle`
---@param told fun(refusal: table?)
---@return boolean sent
function M.send(proposal, decision, told)
  if not proposals.move(proposal, 'decide') then
    return false
  end
  carry_out(proposal, decision, told)
  return true
end

---Go on with a proposal that was decided before this plugin was loaded: the server repeats its answer.
---@param proposal agentfs.Proposal
function M.resume(proposal)
  proposal.is_resumed = true
  if proposals.move(proposal, 'decide') then
    carry_out(proposal, { decision = 'accepted' }, function() end)
  end
end

return M
