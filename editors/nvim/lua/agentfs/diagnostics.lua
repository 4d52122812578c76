---Tells the server what other programs say about files that agents change: before a change lands, and after it.
---The server compares them.
local async = require('agentfs.async')
local client = require('agentfs.client')
local documents = require('agentfs.documents')
local M = {}

local QUIET_MS = 150 -- programs that look at a file often report in several steps
local STEP_MS = 30
local MOST_OF_FILE = 200
local MOST_LANDINGS = 64
local LONGEST_MESSAGE = 1000
local SEVERITIES = {
  [vim.diagnostic.severity.ERROR] = 'error',
  [vim.diagnostic.severity.WARN] = 'warning',
}

---@type { id: string, before: table<string, table>, changed_at: number? }[]
local landings = {}

---@param uri string
---@return table[] empty if the file is in no buffer
local function found(uri)
  local buffer = documents.find(uri)
  local told = {}
  for _, one in ipairs(buffer and vim.diagnostic.get(buffer) or {}) do
    local severity = SEVERITIES[one.severity]
    if severity and #told < MOST_OF_FILE then
      table.insert(told, {
        line = one.lnum + 1,
        message = vim.fn.strcharpart(one.message, 0, LONGEST_MESSAGE),
        severity = severity,
        source = one.source or '',
      })
    end
  end
  return told
end

---Whether some program looks at a file: one has said something about it, or another server is attached to it.
---@param uri string
local function is_watched(uri)
  local buffer = documents.find(uri)
  if not buffer then
    return false
  end
  local others = vim.tbl_filter(function(one)
    return one.name ~= client.NAME
  end, vim.lsp.get_clients({ bufnr = buffer }))
  return #others > 0 or #vim.diagnostic.get(buffer) > 0
end

---A change is about to land.
function M.landing(params)
  local before = {}
  for _, uri in ipairs(params.uris) do
    before[uri] = found(uri)
  end
  table.insert(landings, { id = params.id, before = before })
  if #landings > MOST_LANDINGS then
    table.remove(landings, 1)
  end
end

---The diagnostics of a buffer have changed.
---@param buffer integer
function M.changed(buffer)
  for _, landing in ipairs(landings) do
    for uri in pairs(landing.before) do
      if documents.find(uri) == buffer then
        landing.changed_at = vim.uv.now()
      end
    end
  end
end

---It has landed: wait, if some program looks at the files, until it has said what is new.
function M.since(params)
  local landing = vim.iter(landings):find(function(one)
    return one.id == params.id
  end)
  if not landing then
    return { files = {} }
  end
  local deadline = vim.uv.now() + params.wait_ms
  if vim.iter(params.uris):any(is_watched) then
    while
      vim.uv.now() < deadline
      and not (landing.changed_at and vim.uv.now() - landing.changed_at >= QUIET_MS)
    do
      async.sleep(STEP_MS)
    end
  end
  landings = vim.tbl_filter(function(one)
    return one ~= landing
  end, landings)
  local files = {}
  for _, uri in ipairs(params.uris) do
    if landing.before[uri] then
      table.insert(files, { uri = uri, before = landing.before[uri], after = found(uri) })
    end
  end
  return { files = files }
end

return M
