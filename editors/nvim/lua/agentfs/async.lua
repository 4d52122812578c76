---Steps that wait for each other, written one below the other.
local M = {}

---Run a function that may `await`.
---@param steps fun()
function M.run(steps)
  local thread = coroutine.create(steps)
  local ok, err = coroutine.resume(thread)
  if not ok then
    error(debug.traceback(thread, err))
  end
end

---Wait until `start` calls the function that it gets; returns what that was given.
---@param start fun(done: fun(...))
---@return any ...
function M.await(start)
  local thread = assert(coroutine.running())
  local result, is_waiting
  start(function(...)
    if is_waiting then
      local ok, err = coroutine.resume(thread, ...)
      if not ok then
        error(debug.traceback(thread, err))
      end
    else
      result = { ... }
    end
  end)
  if result then
    return unpack(result)
  end
  is_waiting = true
  return coroutine.yield()
end

---@param ms integer
function M.sleep(ms)
  M.await(function(done)
    vim.defer_fn(done, ms)
  end)
end

return M
