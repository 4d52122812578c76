---What the user typed into proposals that ended without it: it is offered when the change is proposed again.
local notice = require('agentfs.notice')
local text = require('agentfs.text')
local M = {}

---@class agentfs.Draft
---@field path string
---@field proposed string what the agent had proposed
---@field text string

---@type agentfs.Draft[] the newest last
local drafts = {}

---@param path string
---@param proposed string
---@param typed string
function M.keep(path, proposed, typed)
  M.take(path, proposed)
  table.insert(drafts, { path = path, proposed = proposed, text = typed })
end

---The draft of a change that is proposed again, which is then no longer kept.
---@param path string
---@param proposed string
---@return string?
function M.take(path, proposed)
  for at, draft in ipairs(drafts) do
    if draft.path == path and draft.proposed == proposed then
      table.remove(drafts, at)
      return draft.text
    end
  end
end

---@return string[] paths
function M.paths()
  return vim.tbl_map(function(draft)
    return draft.path
  end, drafts)
end

---Show a draft in a new window: the newest, or the newest of this path.
---@param path? string
function M.show(path)
  for at = #drafts, 1, -1 do
    local draft = drafts[at]
    if not path or draft.path == path then
      local lines = text.lines(draft.text)
      vim.cmd('new')
      vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
      vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
      vim.bo.modified = false
      return notice.tell(('what you had typed for %s'):format(draft.path))
    end
  end
  notice.tell('no draft is kept.')
end

return M
