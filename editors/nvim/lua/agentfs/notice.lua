---Tells the user something without waiting for a key.
local text = require('agentfs.text')
local M = {}

---@param message string may contain what others wrote
---@param level? integer
function M.tell(message, level)
  local said = vim.startswith(message, 'agentfs: ') and message or 'agentfs: ' .. message
  vim.schedule(function()
    -- A longer message, or one below another, would wait for a key. Whoever replaces vim.notify shows it elsewhere.
    local room = math.max(20, vim.v.echospace > 0 and vim.v.echospace or vim.o.columns - 12)
    vim.cmd.redraw()
    vim.notify(text.line(said, room), level or vim.log.levels.INFO, { title = 'agentfs' })
  end)
end

---@param message string
function M.warn(message)
  M.tell(message, vim.log.levels.WARN)
end

return M
