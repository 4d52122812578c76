"""The cases that are one change of one file; races.py has those in which more happens at the same time."""

import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from compare.party import Edit, Party, whole_lines
from compare.verdicts import CORRECT, Verdict, judge
from support.edit_cases import CASES, read_options, read_sections, spell_out

EXACT = "edits of text that is there"
LOOSE = "edits of text that is there nearly"
NOWHERE = "edits that must be refused"
ENCODINGS = "encodings and line ends"
BEHIND = "changed behind the agent's back"
UNSAVED = "unsaved text in an editor"
LINKS = "links swapped during an access"
CRASH = "killed in the middle of five files"
GROUPS = {
    EXACT: "the old text is in the file exactly once, or all its places are to be replaced",
    LOOSE: "the old text differs from the file's in line ends, blanks, indentation, or look-alike "
    "characters. To refuse does no harm here",
    NOWHERE: "the old text is not there, or in several places, or the request cannot be right",
    ENCODINGS: "every byte outside of the edit stays, and inserted lines end as their neighbours do",
    BEHIND: "after the agent has read the file, somebody else changes it. Afterwards both changes are in it, "
    "or the agent's is refused. A write of the whole file cannot keep what its author does not know, and "
    "must be refused",
    UNSAVED: "the user has typed in an editor and has not saved. The agent changes the file, and then the "
    "user saves. Afterwards both are in it, or the agent's change is refused",
    LINKS: "a folder in the workspace and a link to a folder outside change places about a thousand times a "
    "second, while the agent reads or edits files below, 100 times",
    CRASH: "one change of five files of 200 KB each; the program is killed at a random moment of it and "
    "started again, 8 times. All five are changed then, or none",
}


@dataclass(frozen=True, slots=True)
class Case:
    """`run` gets a party and the path of the case's own folder in its workspace. `fits`: whether the party's
    format can say the request."""

    name: str
    group: str
    run: Callable[[Party, str], Awaitable[Verdict]]
    fits: Callable[[Party], bool] = lambda _: True


def simple_cases() -> Iterator[Case]:
    """Nothing happens at the same time."""
    yield from _golden()
    yield from _encodings()
    yield from _behind()


# --- our golden cases ---------------------------------------------------------------------------------------


def _golden() -> Iterator[Case]:
    for source in CASES:
        sections = read_sections(source.read_text("utf-8"))
        options = read_options(sections.get("options", ""))
        if options.keys() <= {"replace_all"}:
            text, old, new = (spell_out(sections[name]) for name in ("file", "old", "new"))
            result = spell_out(sections["result"]).encode() if "result" in sections else None
            edit = Edit("file.txt", old, new, bool(options))
            idle = sections.get("error") == "NothingChanges"
            group = NOWHERE if result is None else EXACT if sections["match"].startswith("exact") else LOOSE
            yield _edited(f"edits/{source.stem}", group, text.encode(), edit, result, idle=idle)


def _edited(
    name: str,
    group: str,
    before: bytes,
    edit: Edit,
    expected: bytes | None,
    kept: bytes = b"",
    config: str = "",
    idle: bool = False,
) -> Case:
    """An edit of a file that nobody else touches. `idle`: it asks for what is there already, so that "done"
    and "nothing to do" are both true."""

    async def run(party: Party, folder: str) -> Verdict:
        file = party.root / folder / edit.path
        if config:
            file.with_name(".editorconfig").write_text(config)
        file.write_bytes(before)
        await party.show(f"{folder}/{edit.path}")
        outcome = await party.edit(replace(edit, path=f"{folder}/{edit.path}"))
        if idle and _bytes(file) == before:
            return CORRECT
        return judge(outcome, before, _bytes(file), expected, kept)

    def fits(party: Party) -> bool:
        if edit.replace_all and not party.replaces_all:
            return False
        return not party.whole_lines or idle or _can_be_said_in_lines(before, edit, expected)

    return Case(name, group, run, fits)


def _can_be_said_in_lines(before: bytes, edit: Edit, expected: bytes | None) -> bool:
    """Whether the request means the same in whole lines, which name their place and say nothing of how they
    end."""
    lines = whole_lines(before.decode("utf-8-sig", "replace"), edit)
    text, asked, wanted = (
        one.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        for one in (before, edit.old.encode(), expected or b"")
    )
    if lines is None or "\r" in asked:
        return False
    if text.count(asked) != 1:
        return expected is not None or f"{text}\n".count(asked) != 1
    old, new = ("".join(f"{line}\n" for line in some) for some in lines)
    ended = text if text.endswith("\n") else f"{text}\n"
    changed = ended.replace(old, new, 1)
    if ended != text and (new or not ended.endswith(old)):
        changed = changed.removesuffix("\n")
    return expected is not None and changed == wanted


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


# --- encodings and line ends --------------------------------------------------------------------------------


def _encodings() -> Iterator[Case]:
    def case(
        name: str, before: bytes, old: str, new: str, after: bytes, kept: bytes = b"", config: str = ""
    ) -> Case:
        edit = Edit("file.txt", old, new)
        return _edited(f"encodings/{name}", ENCODINGS, before, edit, after, kept, config)

    lines = b"one\ntwo\nthree\n"
    windows = lines.replace(b"\n", b"\r\n")
    yield case("crlf", windows, "two", "2", windows.replace(b"two", b"2"))
    yield case("crlf-lines", windows, "one\ntwo", "1\n2", b"1\r\n2\r\nthree\r\n")
    yield case(
        "crlf-inserted", windows, "two\n", "two\nand a half\n", b"one\r\ntwo\r\nand a half\r\nthree\r\n"
    )
    yield case("mixed", b"one\ntwo\r\nthree\nfour\r\n", "three", "3", b"one\ntwo\r\n3\nfour\r\n")
    yield case("lone-cr", b"one\rtwo\rthree\r", "two", "2", b"one\r2\rthree\r")
    yield case("bom", b"\xef\xbb\xbf" + lines, "two", "2", b"\xef\xbb\xbfone\n2\nthree\n")
    yield case("bom-first-line", b"\xef\xbb\xbf" + lines, "one", "1", b"\xef\xbb\xbf1\ntwo\nthree\n")
    yield case("no-final-newline", b"one\ntwo", "one", "1", b"1\ntwo")
    yield case("no-final-newline-last-line", b"one\ntwo", "two", "2", b"one\n2")
    yield case("final-blank-lines", b"one\ntwo\n\n\n", "one", "1", b"1\ntwo\n\n\n")
    yield case("trailing-blanks", b"one  \ntwo\t\nthree\n", "three", "3", b"one  \ntwo\t\n3\n")
    separators = "one\x0ctwo\u2028three\nfour\n".encode()
    yield case("separators-in-a-line", separators, "four", "4", separators.replace(b"four", b"4"))
    latin = "café\ntwo\n".encode("latin-1")
    yield case("latin-1", latin, "two", "2", latin.replace(b"two", b"2"), b"caf\xe9")
    declared = "root = true\n[*]\ncharset = latin1\n"
    yield case(
        "latin-1-in-editorconfig", latin, "café", "thé", "thé\ntwo\n".encode("latin-1"), config=declared
    )
    chinese = "中文文本\ntwo\n".encode("gbk")
    yield case("gbk", chinese, "two", "2", chinese.replace(b"two", b"2"), "中文文本".encode("gbk"))
    wide = b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le")
    yield case("utf-16", wide, "two", "2", b"\xff\xfe" + "one\n2\n".encode("utf-16-le"))


# --- changed behind the agent's back ------------------------------------------------------------------------

BEFORE = b"one\ntwo\nthree\n"


def _behind() -> Iterator[Case]:
    edit = Edit("file.txt", "one", "1")

    def case(
        name: str,
        meanwhile: Callable[[Path], object],
        expected: bytes | None,
        kept: bytes = b"",
        content: str | None = None,
    ) -> Case:
        return _behind_its_back(f"behind/{name}", meanwhile, edit, expected, kept, content)

    def put(text: bytes) -> Callable[[Path], object]:
        return lambda file: file.write_bytes(text)

    yield case("another-line", put(b"one\ntwo\nTHREE\n"), b"1\ntwo\nTHREE\n", b"THREE")
    yield case("the-same-line", put(b"ONE\ntwo\nthree\n"), None, b"ONE")
    yield case("a-second-place", put(b"one\none\ntwo\nthree\n"), None)
    yield case("deleted", Path.unlink, None)
    yield case("only-touched", lambda file: _touch(file, 5), b"1\ntwo\nthree\n")
    yield case("whole-file", put(b"one\ntwo\nTHREE\n"), None, b"THREE", "1\ntwo\nthree\n")
    yield case("whole-file-same-size-and-time", _unnoticed, None, b"THREE", "1\ntwo\nthree\n")
    yield Case("behind/whole-file-created", BEHIND, _created)


def _behind_its_back(
    name: str,
    meanwhile: Callable[[Path], object],
    edit: Edit,
    expected: bytes | None,
    kept: bytes,
    content: str | None,
) -> Case:
    """`content`: the agent replaces the whole file by this, instead of the edit."""

    async def run(party: Party, folder: str) -> Verdict:
        path = f"{folder}/{edit.path}"
        file = party.root / path
        file.write_bytes(BEFORE)
        await party.show(path)
        meanwhile(file)
        found = _bytes(file)
        if content is None:
            outcome = await party.edit(replace(edit, path=path))
        else:
            outcome = await party.write(path, content)
        return judge(outcome, found, _bytes(file), expected, kept)

    return Case(name, BEHIND, run)


async def _created(party: Party, folder: str) -> Verdict:
    """The agent creates a file that somebody else has created in the meantime."""
    file = party.root / folder / "new.txt"
    file.write_bytes(b"theirs\n")
    outcome = await party.write(f"{folder}/new.txt", "the agent's\n")
    return judge(outcome, b"theirs\n", _bytes(file), None, b"theirs")


def _touch(file: Path, seconds: int) -> None:
    """Move the time of the last change."""
    was = file.stat()
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns + seconds * 1_000_000_000))


def _unnoticed(file: Path) -> None:
    """A change of the same size that sets the time back, as archivers and synchronisers do."""
    was = file.stat()
    file.write_bytes(b"one\ntwo\nTHREE\n")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
