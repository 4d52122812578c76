---What differs between Neovim 0.10, 0.11, and 0.12.
local M = {}

local has_0_11 = vim.fn.has('nvim-0.11') == 1

---A decoded message in which keys with null are absent, as they are before Neovim 0.12.
---@generic T
---@param value T
---@return T
function M.without_null(value)
  if type(value) == 'table' then
    for key, item in pairs(value) do
      if item == vim.NIL then
        value[key] = nil
      else
        M.without_null(item)
      end
    end
  end
  return value
end

---@param config vim.lsp.ClientConfig
---@return integer? client_id
function M.start(config)
  if has_0_11 then
    return vim.lsp.start(config, { attach = false })
  end
  return vim.lsp.start_client(config) ---@diagnostic disable-line: deprecated
end

---@return boolean sent
---@return integer? request_id
function M.request(client, method, params, handler)
  if has_0_11 then
    return client:request(method, params, handler)
  end
  return client.request(method, params, handler)
end

---Report what was typed a moment ago, which Neovim delays.
function M.flush(client)
  pcall(function()
    require('vim.lsp._changetracking').flush(client)
  end)
end

function M.notify(client, method, params)
  if has_0_11 then
    return client:notify(method, params)
  end
  return client.notify(method, params)
end

function M.cancel(client, request_id)
  if has_0_11 then
    return client:cancel_request(request_id)
  end
  return client.cancel_request(request_id)
end

function M.stop(client, force)
  if has_0_11 then
    return client:stop(force)
  end
  return client.stop(force)
end

---@return boolean
function M.is_stopped(client)
  if has_0_11 then
    return client:is_stopped()
  end
  return client.is_stopped()
end

return M
