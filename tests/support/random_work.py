"""Random work of agents and editors, shared by the model of the real process and the simulation."""

from dataclasses import dataclass
from random import Random

from support.judge import tokens
from support.wire import Message

FILES = {
    "a.txt": "<b1> one\n<b2> two\nsame\nsame\n<b3> three\n<b4> four\nsame\n<b5> five\n",
    "b.txt": "<b6> one\r\n<b7> two\r\n<b8> three\r\n<b9> four\r\n",
    "c.txt": "<b10> one\n<b11> two\n<b12> three",
    "sub/d.txt": "same\nsame\n<b13> one\nsame\n\n\n<b14> two\n",
}
"""Every distinguishable line has a unique token (`support/judge.py`)."""

MANNERS = {
    "good": 40,
    "slow good": 6,
    "refuse": 6,
    "no refuse": 2,
    "yes refuse": 4,
    "silent refuse": 3,
    "error refuse": 1,
    "odd refuse": 2,
    "no good": 3,
    "odd good": 2,
    "error good": 1,
    "silent good": 2,
    "yes part": 2,
    "no part": 2,
    "good type": 4,
    "good save": 4,
    "good close": 4,
    "good save close": 6,
    "good type save close": 3,
    "good type_over": 3,
    "good undo": 2,
    "good save undo": 3,
    "good save undo save": 1,
    "slow good save close": 3,
    "silent good save close": 2,
    "no good save close": 3,
    "no part save close": 2,
    "close good": 2,
    "type good": 3,
}
"""How the editor handles an edit, step by step, with weights."""


SAVING = {
    "save": 10,
    "save close": 3,
    "type save": 1,
    "type save close": 1,
    "type_over": 1,
    "type_over save": 1,
    "close": 1,
    "": 2,
    "undo": 1,
    "undo save": 1,
    "save undo": 1,
    "save undo save": 1,
    "save write_outside": 1,
    "save write_outside reload": 1,
}
"""How a review client handles a save, with weights."""


@dataclass
class Written:
    """One operation of an agent on one file. `removed`: the tokens it removes."""

    tool: str
    params: Message
    removed: set[str]


def written(
    random: Random, path: str, content: str | None, number: int, index: int, kind: str
) -> Written | None:
    """Operation `index` of request `number` on a file with `content`, None for a new one. None if it would
    change nothing."""

    def new(k: int) -> str:
        return f"<c{number}.{index * 10 + k}>"

    if content is None:
        return Written("write", {"path": path, "content": f"{new(0)} made\n"}, set())
    lines = content.splitlines(keepends=True)
    if kind == "edit" or (kind == "batch" and random.random() < 0.5):
        unique = [line.rstrip("\r\n") for line in lines if tokens(line)]
        if unique:
            old = random.choice(unique)
            theirs = any(one[1] in "uo" for one in tokens(old))
            replacement = f"{old}\n{new(0)} behind" if theirs else f"{new(0)} instead"
            removed = set() if theirs else tokens(old)
            return Written("edit", {"path": path, "old_string": old, "new_string": replacement}, removed)
    eol = "\r\n" if "\r\n" in content else "\n"
    removed = set()
    for k in range(random.randint(1, 3)):
        at = random.randint(0, len(lines))
        mine = at < len(lines) and not any(one[1] in "uo" for one in tokens(lines[at]))
        match random.choice(["insert", "replace", "delete", "double"]):
            case "replace" if mine:
                removed |= tokens(lines[at])
                lines[at] = f"{new(k)} written{eol}"
            case "delete" if mine and len(lines) > 1:
                removed |= tokens(lines.pop(at))
            case "double":
                lines.insert(at, f"same{eol}")
            case _:
                if at and not lines[at - 1].endswith("\n"):
                    lines[at - 1] += eol
                lines.insert(at, f"{new(k)} written{eol}")
    if random.random() < 0.15 and lines:
        lines[-1] = lines[-1].rstrip("\r\n")
    text = "".join(lines)
    if not text or text == content:
        return None
    return Written("write", {"path": path, "content": text}, removed - tokens(text))
