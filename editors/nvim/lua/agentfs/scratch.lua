---A window with a list or a diff that no file belongs to. There is one of each name.
local buffers = require('agentfs.buffers')
local M = {}

---@param name string
---@param lines string[]
---@param options? { height?: integer, syntax?: string }
---@return integer buffer
function M.show(name, lines, options)
  options = options or {}
  local full = ('agentfs://(%s)'):format(name)
  local buffer = buffers.named(full)
  local origin = vim.api.nvim_get_current_win()
  local win = buffer and vim.fn.win_findbuf(buffer)[1]
  if not win then
    buffer = buffers.create(full, 'nofile')
    vim.cmd(('botright %dsplit'):format(options.height or 12))
    vim.api.nvim_win_set_buf(0, buffer)
    for name_of, value in pairs({
      number = false,
      relativenumber = false,
      signcolumn = 'no',
      winfixheight = true,
    }) do
      vim.api.nvim_set_option_value(name_of, value, { scope = 'local', win = 0 })
    end
  else
    vim.api.nvim_set_current_win(win)
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].syntax = options.syntax or ''
  vim.keymap.set('n', 'q', function()
    vim.cmd('close')
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
  end, { buffer = buffer, nowait = true, desc = 'agentfs: close' })
  return buffer
end

return M
