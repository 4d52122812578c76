"""Editors with the configuration of docs/editors.md alone: what is asked, and what then lands."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from support.configured import EDITORS, KINDS, Kind
from support.docs import examples, section, text_of
from support.sample import CHANGED, TEXT
from support.terminal import TIMEOUT_S

EDIT = ("-two", "+2")
VIM = EDITORS / "vim/vim"

STAND_IN = """
let g:told = []
function! lsp#register_server(server)
  let told = copy(a:server)
  for key in ['cmd', 'root_uri']
    let told[key] = a:server[key]({})
  endfor
  call add(g:told, told)
endfunction
function! lsp#send_request(server, request)
  let told = extend({'server': a:server}, a:request)
  call remove(told, 'on_notification')({'response': {'result': {'text': 'the answer'}}})
  call add(g:told, told)
endfunction
"""
STAND_IN_UTILS = """
function! lsp#utils#get_buffer_path()
  return 'buffer'
endfunction
function! lsp#utils#find_nearest_parent_file_directory(path, marker)
  return a:marker . ' above ' . a:path
endfunction
function! lsp#utils#path_to_uri(path)
  return 'uri of ' . a:path
endfunction
"""


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """One of the editors."""
    if request.param.missing:
        pytest.skip(request.param.missing)
    return request.param


async def test_a_change_by_the_documented_call_is_shown_and_rejected(root: Path, kind: Kind) -> None:
    async with kind.on_a_file(root) as editor:
        answer = await editor.call()
        await editor.decide("Reject", answer)
        assert "Nothing was changed." in (await answer)["text"]
        if editor.keys.run:
            editor.screen.press(editor.keys.messages)
            await editor.screen.shows("The question was closed without")
        read = await editor.wire.ask("agentfs/read", {"path": "a.py"})
        assert (read["data"]["content"], read["data"]["dirty"]) == (TEXT, False)
        editor.go_back()
        await editor.screen.shows(lambda text: all(line in text for line in TEXT.split()))
    assert (root / "a.py").read_text() == TEXT


async def test_an_approved_change_joins_what_was_typed_and_is_saved_by_the_user(
    root: Path, kind: Kind
) -> None:
    async with kind.on_a_file(root) as editor:
        await editor.type_line()
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.decide("Approve", answer, EDIT)
        assert (root / "a.py").read_text() == TEXT
        editor.go_back()
        await editor.press(editor.keys.save, "textDocument/didSave")
        answered = await answer
        assert answered["status"] != "error", answered
        read = await editor.wire.ask("agentfs/read", {"path": "a.py"})
        assert (read["data"]["content"], read["data"]["dirty"]) == (f"typed\n{CHANGED}", False)
    assert (root / "a.py").read_text() == f"typed\n{CHANGED}"


async def test_a_closed_file_lands_byte_for_byte(root: Path, kind: Kind) -> None:
    before = b"\xef\xbb\xbfone\r\ntwo\nthree"
    async with kind.on_a_file(root) as editor:
        (root / "b.txt").write_bytes(before)
        answer = await editor.read_and_edit("b.txt", "two", "2")
        await editor.decide("Approve", answer, EDIT)
        assert (await answer)["data"]["applied"]
        assert (root / "b.txt").read_bytes() == before.replace(b"two", b"2")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "emacs-30" in kind.name], indirect=True, ids=str)
async def test_a_diff_longer_than_its_window_is_approved_only_by_what_its_end_says(
    root: Path, kind: Kind
) -> None:
    before, after = ("".join(f"{word} {n}\n" for n in range(30)) for word in ("old", "new"))
    async with kind.on_a_file(root, before) as editor:
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        write = {"path": "a.py", "content": after, "overwrite": True, "agent": "Ada"}
        answer = editor.wire.ask("agentfs/write", write)
        assert await editor.offers("Approve", answer)
        assert "+new 29" not in editor.screen.text
        await editor.choose("Approve")
        assert not await editor.offers("Approve", answer)
        assert "+new 29\n" in editor.seen
        editor.go_back()
        await editor.press(editor.keys.save, "textDocument/didSave")
        assert (await answer)["status"] != "error"
    assert (root / "a.py").read_text() == after


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "lsp-mode" in kind.name], indirect=True, ids=str)
async def test_c_g_in_lsp_mode_is_a_no_at_once(root: Path, kind: Kind) -> None:
    async with kind.on_a_file(root) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("agentfs: Edit a.py (+1/-1), by Ada")
        async with asyncio.timeout(TIMEOUT_S):
            while not answer.done():  # Emacs drops a C-g that comes while it is drawing
                editor.screen.press("\x07")
                await asyncio.wait([answer], timeout=1)
        assert (await answer)["context"]["review"]["decision"] == "dismissed"


def test_vim_runs_what_is_documented_for_vim_lsp(tmp_path: Path) -> None:
    """With a stand-in for vim-lsp: only what it would be told."""
    if not VIM.exists():
        pytest.skip("there is no .editors/vim")
    configuration, call = examples(section(text_of("editors.md"), "Vim: vim-lsp"), "vim")
    (tmp_path / "autoload/lsp").mkdir(parents=True)
    (tmp_path / "autoload/lsp.vim").write_text(STAND_IN)
    (tmp_path / "autoload/lsp/utils.vim").write_text(STAND_IN_UTILS)
    script = f"set runtimepath^={tmp_path}\n{configuration}doautocmd User lsp_setup\n{call}"
    (tmp_path / "vimrc").write_text(
        f"{script}call writefile([json_encode(g:told), execute('messages')], 'told')\n"
    )
    subprocess.run([VIM, "-N", "-es", "-u", "vimrc", "-c", "quit"], cwd=tmp_path, check=True)
    told, messages = (tmp_path / "told").read_text().split("\n", 1)
    edit = {"path": "a.py", "old_string": "two", "new_string": "2", "agent": "Ada"}
    assert json.loads(told) == [
        {
            "name": "agentfs",
            "cmd": ["agentfs-lsp"],
            "root_uri": "uri of .git/ above buffer",
            "allowlist": ["*"],
        },
        {"server": "agentfs", "method": "agentfs/edit", "params": edit},
    ]
    assert "the answer" in messages
