---`:checkhealth agentfs`
local M = {}

function M.check()
  local health = vim.health
  health.start('agentfs')
  for _, check in ipairs(require('agentfs.status').checks()) do
    health[check.level](check.says, check.hint and { check.hint } or nil)
  end
end

return M
