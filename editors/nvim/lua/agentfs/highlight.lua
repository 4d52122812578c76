---Highlight groups, each linked to one that every color scheme has.
local M = {}

M.LINKS = {
  AgentfsTitle = 'Title',
  AgentfsExplanation = 'Comment',
  AgentfsKeys = 'StatusLine',
  AgentfsMessage = 'WarningMsg',
  AgentfsWarning = 'DiagnosticWarn',
  AgentfsFile = 'Directory',
  AgentfsFileShown = 'Visual',
  AgentfsAdd = 'DiffAdd',
  AgentfsDelete = 'DiffDelete',
}

function M.setup()
  for group, link in pairs(M.LINKS) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

return M
