"""Validation of external values: each shape checks raw JSON and returns the value to use.

This is the only validator for settings, agents' params, and the editor's params
(docs/adr/0013-one-validator.md). A shape does not know its key: `api/parsing.py` reports invalid params by
key, and `lsp/configuration/reading.py` keeps the valid parts of settings. `null` never gets here, because
it means "not set".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from agentfs_lsp.domain.errors import ParameterProblem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a shape accepts. `options`: the words of a "choice"; the bounds apply to "whole" numbers,
    "seconds", and the length of strings and lists."""

    kind: Literal[
        "choice",
        "flag",
        "whole",
        "string",
        "list",
        "object",
        "token",
        "seconds",
        "encoding",
        "roots",
        "absolute_paths",
        "folder",
        "plain_names",
        "own_names",
        "rules",
        "rule",
        "globs",
        "globs_to_match",
        "glob",
        "glob_to_add",
        "plain_paths",
        "plain_path",
        "switches",
        "switch_name",
        "formatters",
        "commands",
    ]
    options: tuple[str, ...] = ()
    minimum: float = 0
    maximum: float = 0


@dataclass(eq=False)
class ShapeError(ValueError):
    """A value that the shape rejects. `constraint`: what it accepts; `problem`: what is wrong. If only a part
    is wrong, `where` names it, such as `[2].write`, and `given` is that part. `kept`: the valid part of a
    list."""

    constraint: Constraint
    problem: ParameterProblem = "kind"
    where: str = ""
    given: object = None
    kept: object = None

    def within(self, part: str, value: object) -> ShapeError:
        """The error for the value that contains `value` as its `part`."""
        self.given = self.given if self.where else value
        self.where = part + self.where
        return self


class Shape(Protocol):
    """A kind of value."""

    def check(self, raw: object) -> object:
        """The value to use. Raises ShapeError."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words. `any_case`: ignore case, for names with several spellings such as language tags."""

    options: tuple[str, ...]
    any_case: bool = False

    def check(self, raw: object) -> str:
        word = raw.lower() if self.any_case and isinstance(raw, str) else raw
        if isinstance(word, str) and word in self.options:
            return word
        raise ShapeError(Constraint("choice", self.options), "choice" if isinstance(raw, str) else "kind")


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false, but no number."""

    def check(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        raise ShapeError(Constraint("flag"))


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `minimum` to `maximum`, including 3.0: some callers only have floats."""

    unit: str = ""
    minimum: float = -math.inf
    maximum: float = math.inf

    def check(self, raw: object) -> int:
        number = number_of(raw)
        is_whole = number is not None and number == int(number)
        if number is not None and is_whole and self.minimum <= number <= self.maximum:
            return int(number)
        constraint = Constraint("whole", (), self.minimum, self.maximum)
        if number is None or not is_whole:
            raise ShapeError(constraint)
        raise ShapeError(constraint, "small" if number < self.minimum else "large")


@dataclass(frozen=True, slots=True)
class Text:
    """A string of `minimum` to `maximum` characters."""

    minimum: float = 0
    maximum: float = math.inf

    def check(self, raw: object) -> str:
        if isinstance(raw, str) and self.minimum <= len(raw) <= self.maximum:
            return raw
        constraint = Constraint("string", (), self.minimum, self.maximum)
        if not isinstance(raw, str):
            raise ShapeError(constraint)
        raise ShapeError(constraint, "short" if len(raw) < self.minimum else "long")


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of `minimum` to `maximum` entries of any kind."""

    minimum: float = 0
    maximum: float = math.inf

    def check(self, raw: object) -> tuple[object, ...]:
        return check_each(raw, lambda entry: entry, Constraint("list", (), self.minimum, self.maximum))


@dataclass(frozen=True, slots=True)
class Members:
    """An object with any members."""

    def check(self, raw: object) -> dict[str, object]:
        if isinstance(raw, dict):
            return raw
        raise ShapeError(Constraint("object"))


@dataclass(frozen=True, slots=True)
class Token:
    """LSP's progress token."""

    def check(self, raw: object) -> int | str:
        if isinstance(raw, str):
            return raw
        try:
            return Whole().check(raw)
        except ShapeError:
            raise ShapeError(Constraint("token")) from None


def check_each(raw: object, check: Callable[[object], T], constraint: Constraint) -> tuple[T, ...]:
    """Check every entry of a list. Raises the first ShapeError, which keeps the valid entries, but none of a
    list longer than `constraint.maximum`."""
    if not isinstance(raw, list):
        raise ShapeError(constraint, kept=())
    if len(raw) < constraint.minimum:
        raise ShapeError(constraint, "few", kept=())
    if len(raw) > constraint.maximum:
        raise ShapeError(constraint, "many", kept=())
    kept: list[T] = []
    first: ShapeError | None = None
    for number, entry in enumerate(raw):
        try:
            kept.append(check(entry))
        except ShapeError as error:
            first = first or error.within(f"[{number}]", entry)
    if first is not None:
        first.kept = tuple(kept)
        raise first
    return tuple(kept)


def number_of(raw: object) -> float | int | None:
    """A finite number, or None."""
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    return raw if isinstance(raw, int) or math.isfinite(raw) else None
