"""agentfs.nvim: what other programs say about a change reaches the agent with the answer."""

from pathlib import Path

from support.nvim_plugin import ended, plugin, pressed, proposed, reviewed

CHECKER = """
local namespace = vim.api.nvim_create_namespace('checker')
local function check(buffer)
  local found = {}
  for at, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
    if line:match('wrong') then
      table.insert(found, { lnum = at - 1, col = 0, message = line, severity = 1, source = 'checker' })
    end
  end
  vim.diagnostic.set(namespace, buffer, found)
end
vim.api.nvim_create_autocmd('BufReadPost', { pattern = 'a.txt', callback = function(event)
  check(event.buf)
  vim.api.nvim_buf_attach(event.buf, false, { on_lines = function(_, buffer)
    vim.defer_fn(function() check(buffer) end, 20)
  end })
end })
"""


async def test_the_agent_learns_what_its_change_broke(root: Path, repository: Path, neovim: Path) -> None:
    (root / "a.txt").write_text("one\nwrong\ntwo\n")
    async with plugin(root, repository, neovim, open_file="a.txt", config=CHECKER) as editor:
        answer = await proposed(editor, "a.txt", "one\n", "one\nwrong too\n")
        await reviewed(editor, "wrong too")
        await pressed(editor, "ga")
        data = (await answer)["data"]
        await ended(editor)
    found = {"line": 2, "message": "wrong too", "severity": "error", "source": "checker"}
    assert data["diagnostics"] == [found]


async def test_a_long_message_ends_between_two_characters(root: Path, repository: Path, neovim: Path) -> None:
    (root / "a.txt").write_text("one\nwrong\n")
    long = CHECKER.replace("message = line", "message = line .. string.rep('错', 400)")
    async with plugin(root, repository, neovim, open_file="a.txt", config=long) as editor:
        answer = await proposed(editor, "a.txt", "one\n", "one\nwrong too\n")
        await reviewed(editor, "wrong too")
        await pressed(editor, "ga")
        (found,) = (await answer)["data"]["diagnostics"]
        await ended(editor)
    assert found["message"] == "wrong too" + "错" * 291 + "…"
