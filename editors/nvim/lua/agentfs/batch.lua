---What is decided of the files of a change, and the list that shows it.
local buffers = require('agentfs.buffers')
local proposals = require('agentfs.proposals')
local text = require('agentfs.text')
local M = {}

local SIGNS = { accepted = '+', rejected = '-' }

---@param proposal agentfs.Proposal
function M.is_batch(proposal)
  return #proposal.files > 1
end

---A line for each file: what is decided, its path, and what changes.
---@param proposal agentfs.Proposal
---@return string[]
function M.lines(proposal)
  return vim.tbl_map(function(file)
    local decided = proposal.decisions[file.path]
    local kind = file.operation == 'update' and '' or (' (%s)'):format(file.operation)
    local sign = decided and SIGNS[decided.decision] or ' '
    return ('[%s] %s %s%s'):format(sign, text.line(file.path), proposals.counts(file), kind)
  end, proposal.files)
end

---@param proposal agentfs.Proposal
---@param from integer
---@return integer? index of the next file without a decision
function M.undecided(proposal, from)
  for step = 0, #proposal.files - 1 do
    local at = (from - 1 + step) % #proposal.files + 1
    if not proposal.decisions[proposal.files[at].path] then
      return at
    end
  end
end

---@param proposal agentfs.Proposal
---@param file agentfs.File
---@return string
local function shown(proposal, file)
  return buffers.text_of(proposal, file) or file.proposed_text
end

---@param proposal agentfs.Proposal
---@param file agentfs.File
---@param decision 'accepted'|'rejected'
---@param reason? string
function M.decide(proposal, file, decision, reason)
  local said = reason ~= '' and reason or nil
  local is_own = decision == 'rejected' and M.is_batch(proposal)
  proposal.decisions[file.path] =
    { decision = decision, text = shown(proposal, file), reason = is_own and said or nil }
  if said and not is_own then
    table.insert(proposal.reasons, #proposal.files > 1 and file.path .. ': ' .. said or said)
  end
end

---Whether what was accepted of each file is still what its buffer shows.
---@param proposal agentfs.Proposal
---@return integer? index of a file for which it is not
function M.changed(proposal)
  for at, file in ipairs(proposal.files) do
    local decided = proposal.decisions[file.path]
    if decided and decided.decision == 'accepted' and decided.text ~= shown(proposal, file) then
      return at
    end
  end
end

---The decisions on all files as params of `agentfs/settle`.
---@param proposal agentfs.Proposal
---@param always boolean
---@param feedback? string
---@return table
function M.params(proposal, always, feedback)
  local files, rejected = {}, 0
  for _, file in ipairs(proposal.files) do
    local decided = proposal.decisions[file.path]
    if decided.decision == 'rejected' then
      rejected = rejected + 1
      table.insert(files, { uri = file.uri, decision = 'rejected', feedback = decided.reason })
    elseif file.operation ~= 'delete' and decided.text ~= file.proposed_text then
      table.insert(files, { uri = file.uri, decision = 'amended', text = decided.text })
    end
  end
  local said = table.concat(proposal.reasons, '\n')
  said = feedback and feedback ~= '' and feedback or said
  if rejected == #proposal.files then
    return { decision = 'rejected', feedback = said ~= '' and said or nil, files = files }
  end
  return {
    decision = 'accepted',
    always = always or nil,
    feedback = said ~= '' and said or nil,
    files = #files > 0 and files or nil,
  }
end

return M
