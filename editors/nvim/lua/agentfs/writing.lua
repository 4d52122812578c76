---`:write` in a proposal accepts it, if the user typed the command there. What saves by itself accepts nothing.
local config = require('agentfs.config')
local M = {}

local WRITES = { write = true, wq = true, update = true, xit = true, exit = true }
---The buffer in which the user has just entered a command that writes.
---@type integer?
local typed_in

---The user has left the command line with a command.
local function entered()
  if vim.v.event.abort or vim.fn.getcmdtype() ~= ':' then
    return
  end
  local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
  if ok and WRITES[command.cmd] and #command.args == 0 then
    typed_in = vim.api.nvim_get_current_buf()
    vim.schedule(function()
      typed_in = nil
    end)
  end
end

---@param event { buf: integer, match: string }
local function written(event)
  local review = require('agentfs.review')
  local is_typed = typed_in == event.buf
  typed_in = nil
  local view = review.view
  if view and view.buffer == event.buf and is_typed then
    return review.accept(':w')
  end
  local key = config.values.keys.accept or ':w'
  review.say(('Nothing was written. %s in its review accepts the change.'):format(key))
end

---`:edit` shows the proposal as the agent made it.
---@param event { buf: integer, match: string }
local function read(event)
  local proposals, buffers = require('agentfs.proposals'), require('agentfs.buffers')
  for _, proposal in ipairs(proposals.waiting()) do
    for _, file in ipairs(proposal.files) do
      if buffers.name_of(proposal, file) == vim.api.nvim_buf_get_name(event.buf) then
        vim.bo[event.buf].buftype = 'acwrite'
        return buffers.fill(event.buf, file.proposed_text or '')
      end
    end
  end
end

---@param group integer
function M.setup(group)
  vim.api.nvim_create_autocmd('CmdlineLeave', { group = group, callback = entered })
  vim.api.nvim_create_autocmd({ 'BufWriteCmd', 'FileWriteCmd' }, {
    group = group,
    pattern = 'agentfs://*',
    callback = written,
  })
  vim.api.nvim_create_autocmd('BufReadCmd', { group = group, pattern = 'agentfs://*', callback = read })
end

return M
