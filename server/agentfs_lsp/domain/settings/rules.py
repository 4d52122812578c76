"""The structure of rules, and the shapes that validate them.

`verdict.py` evaluates rules, and `globs.py` matches their globs (docs/protocol.md#13-settings-and-policy).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from agentfs_lsp.domain.globs import fault_of
from agentfs_lsp.domain.shapes import Choice, Constraint, Flag, ShapeError, check_each

Operation = Literal["read", "write", "edit"]
Permission = Literal["allow", "ask", "deny"]

OPERATIONS: tuple[Operation, ...] = ("read", "write", "edit")
PERMISSIONS: tuple[Permission, ...] = ("allow", "ask", "deny")

MAX_ENTRIES = 1000
"""The maximum length of a list of rules, globs, or paths, because each is matched against every path."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Permissions for the files that match `files` (gitignore globs relative to each root); None: no
    statement. `requires`: a switch that must be on for any access."""

    files: tuple[str, ...]
    read: Permission | None = None
    write: Permission | None = None
    edit: Permission | None = None
    requires: str | None = None

    def says(self, operation: Operation) -> Permission | None:
        return cast("Permission | None", getattr(self, operation))


@dataclass(frozen=True, slots=True)
class Rules:
    """A list of `{"files": [globs], "read", "write", "edit": permission, "requires": switch}`. Valid rules of
    an invalid list are kept. `permissions`: those a rule may give."""

    permissions: tuple[Permission, ...] = PERMISSIONS

    def check(self, raw: object) -> tuple[Rule, ...]:
        """Raises ShapeError with the first invalid member."""
        return check_each(raw, self._rule, _list_of("rules"))

    def _rule(self, raw: object) -> Rule:
        if not isinstance(raw, dict) or not raw.keys() <= _MEMBERS or not raw.keys() > {"files"}:
            raise ShapeError(Constraint("rule"))
        given: dict[str, object] = {}
        for name, value in raw.items():
            try:
                given[name] = self._member(name, value)
            except ShapeError as error:
                raise error.within(f".{name}", value) from None
        return Rule(**given)  # type: ignore[arg-type]

    def _member(self, name: str, value: object) -> object:
        if name == "files":
            globs = Globs().check(value)
            if globs and all(glob.startswith("!") for glob in globs):  # it matches nothing
                raise ShapeError(Constraint("globs_to_match"))
            return globs
        if value is None:
            return None
        if name == "requires":
            return _switch_name(value)
        return Choice(self.permissions).check(value)


@dataclass(frozen=True, slots=True)
class Globs:
    """A list of gitignore globs. Refuses those that gitignore silently ignores, since their author meant
    something. `negations`: whether a leading `!` is allowed."""

    negations: bool = True

    def check(self, raw: object) -> tuple[str, ...]:
        return check_each(raw, self._glob, _list_of("globs"))

    def _glob(self, raw: object) -> str:
        if not isinstance(raw, str) or fault_of(raw) or (raw.startswith("!") and not self.negations):
            raise ShapeError(Constraint("glob" if self.negations else "glob_to_add"))
        return raw


@dataclass(frozen=True, slots=True)
class Paths:
    """A list of literal paths relative to a root, without wildcards."""

    def check(self, raw: object) -> tuple[str, ...]:
        return check_each(raw, _plain_path, _list_of("plain_paths"))


@dataclass(frozen=True, slots=True)
class Switches:
    """An object of names and whether each is on. Invalid values count as off."""

    def check(self, raw: object) -> Mapping[str, bool]:
        if not isinstance(raw, dict):
            raise ShapeError(Constraint("switches"))
        return {name: Flag().check(on) for name, on in raw.items()}


_MEMBERS = frozenset({"files", *OPERATIONS, "requires"})


def _list_of(kind: Literal["rules", "globs", "plain_paths"]) -> Constraint:
    return Constraint(kind, maximum=MAX_ENTRIES)


def _switch_name(raw: object) -> str:
    if not isinstance(raw, str) or not raw.strip() or not raw.isprintable():
        raise ShapeError(Constraint("switch_name"))
    return raw


def _plain_path(raw: object) -> str:
    """The path in its shortest form. A star is not accepted as part of a name."""
    if isinstance(raw, str) and raw.isprintable() and not set(raw) & {"*", "\\"} and not raw.startswith("/"):
        parts = [part for part in raw.split("/") if part not in {"", "."}]
        if parts and ".." not in parts and not raw.endswith("/"):
            return "/".join(parts)
    raise ShapeError(Constraint("plain_path"))
