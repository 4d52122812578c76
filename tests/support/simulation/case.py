"""A case of the simulation: generated from a seed or read from a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from support import random_work

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    **random_work.FILES,
    "cr.txt": "<b20> one\r<b21> two\n<b22> three\r<b23> four\n<b24> five\n",
}
"""The initial files, of which a case has some."""

WAYS = ("review", "preview", "message", "auto_edit")
"""The ways of asking for a change, and `auto_edit` without."""

KINDS = {
    "open": 12,
    "type": 14,
    "type_over": 3,
    "take_line_out": 3,
    "save": 9,
    "close": 6,
    "reload": 2,
    "outside": 6,
    "remove": 1,
    "fail": 3,
    "crash": 1,
    "edit": 12,
    "write": 12,
    "batch": 16,
    "undo": 10,
    "read": 6,
    "look": 2,
    "dry": 3,
    "cancel": 5,
}
"""The actions of users, programs, machine and agents, with weights."""


@dataclass(frozen=True)
class Action:
    """`at`: virtual seconds from the start."""

    number: int
    at: float
    kind: str


@dataclass(frozen=True)
class Case:
    """`name`: the client's. `any_order`: run ready callbacks in any order, unlike real loops. `inline_bytes`:
    larger work runs in threads. `renames`: where the user closes a file, it is often renamed instead."""

    seed: int
    way: str
    name: str
    files: tuple[str, ...]
    agents: int
    saves: bool
    adds_newline: bool
    any_order: bool
    inline_bytes: int
    limit_s: float
    actions: tuple[Action, ...]
    renames: bool = False

    @classmethod
    def of(cls, seed: int, way: str = "") -> Case:
        """The case for a seed."""
        random = Random(f"{seed} case")
        way = random.choice([way] if way else WAYS)
        actions, at = [], 0.0
        for number in range(1, random.randint(20, 120)):
            at += random.choice([0, 0.01, 0.1, 0.5, 1, 2])
            actions.append(Action(number, round(at, 2), random.choices(list(KINDS), list(KINDS.values()))[0]))
        return cls(
            seed,
            way,
            "Visual Studio Code"
            if way == "preview"
            else random.choice(["editor", "Eglot", "code-server"])
            if way != "message"
            else random.choice(["editor", "Eglot"]),
            tuple(random.sample(sorted(FILES), random.randint(1, len(FILES)))),
            random.randint(1, 3),
            way != "preview" and random.random() < 0.6,
            random.random() < 0.2,
            random.random() < 0.3,
            random.choice([64 * 1024, 16]),
            random.choice([0.3, 2.0]),
            tuple(actions),
            renames=random.random() < 0.5,
        )

    @classmethod
    def load(cls, path: Path) -> Case:
        given = json.loads(path.read_text())
        actions = tuple(Action(*action) for action in given["actions"])
        return cls(**{**given, "files": tuple(given["files"]), "actions": actions})

    def save(self, path: Path) -> None:
        """One action per line."""
        actions = ",\n  ".join(json.dumps([one.number, one.at, one.kind]) for one in self.actions)
        head = json.dumps({key: value for key, value in asdict(self).items() if key != "actions"}, indent=1)
        path.write_text(f'{head[:-2]},\n "actions": [\n  {actions}\n ]\n}}\n')

    def with_actions(self, actions: tuple[Action, ...]) -> Case:
        return replace(self, actions=actions)
