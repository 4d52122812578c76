"""Decides whether an agent may access a file: allow, ask, or deny, and for which reason.

The rules are those of docs/protocol.md#13-settings-and-policy. Asking the user is not part of this module.
The caller passes the session's mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.globs import GlobList, Spelled
from agentfs_lsp.domain.policy.protected import protection_of
from agentfs_lsp.domain.policy.tightening import Tightening
from agentfs_lsp.domain.settings.rules import Operation, Permission, Rule
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import Settings

_NOTHING = Tightening()
Source = Literal["own", "protected", "switch", "files", "rule", "spelling", "workspace", "fault", "mode"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`source`: what decided; "spelling": a rule for another spelling of the path; "workspace": the
    workspace's own settings. `rule`: the glob, switch or setting, as the user knows it; None for the mode."""

    decision: Permission
    source: Source
    rule: str | None = None

    @property
    def by(self) -> Literal["mode", "rule"]:
        """The same, as responses report it."""
        return "mode" if self.source == "mode" else "rule"


class Policy:
    """The effective rules, compiled. Immutable: new settings make a new policy.

    `own_folders`: the server's own, such as its state folder, as real absolute paths. `workspace`: the root's
    own settings, which can only make verdicts stricter. `closed`: the only accessible paths, None without an
    allowlist."""

    def __init__(
        self, settings: Settings, own_folders: Sequence[str], workspace: Tightening = _NOTHING
    ) -> None:
        self._own_folders = tuple((fold_path(folder).rstrip("/"), folder) for folder in own_folders)
        self._workspace = workspace
        self._rules = _users_rules(settings.rules, frozenset(settings.switches.items()))
        self._asking = RuleList(workspace.rules, settings.switches)
        self._closed = [frozenset(files) for files in (settings.files, workspace.files) if files is not None]
        self.closed = _intersection(settings.files, workspace.files)
        self._protected = GlobList(settings.protected)
        self._guarded = GlobList(workspace.protected)
        self._faults = (*settings.faulty, *((workspace.fault,) if workspace.fault else ()))
        self._judged: dict[tuple[Operation, str, str, Mode], Verdict] = {}

    def judge(self, operation: Operation, relative: str, *, root: str, mode: Mode) -> Verdict:
        """The strictest verdict that applies; of equally strict ones, the most specific to the file.

        `relative` is the resolved path in the root with the real path `root`. Never raises. Cached, because
        long lists of rules are slow."""
        key = operation, relative, root, mode
        verdict = self._judged.get(key)
        if verdict is None:
            if len(self._judged) >= _MAX_KEPT:
                self._judged.clear()
            verdict = self._judged[key] = self.explain(operation, relative, root=root, mode=mode)[0]
        return verdict

    def explain(
        self, operation: Operation, relative: str, *, root: str, mode: Mode, git_setting: str | None = None
    ) -> tuple[Verdict, ...]:
        """All verdicts that apply, the strictest first. `git_setting`: see `judge_git_setting`."""
        own = self._own(root, relative)
        named = None if operation == "read" else self.judge_git_setting(relative, git_setting)
        ruled = tuple(dict.fromkeys(self._by_path(operation, relative)))
        decided = any(verdict.source == "rule" for verdict in ruled)
        by_mode = None if decided else self._by_mode(operation, mode)
        verdicts = [verdict for verdict in (own, named, *ruled, by_mode) if verdict is not None]
        return tuple(sorted(verdicts, key=_strictness, reverse=True))

    def judge_git_setting(self, relative: str, git_setting: str | None) -> Verdict | None:
        """The verdict on changing a file that this setting of git names, if any does: the file is protected
        unless the user takes it out."""
        if git_setting is None or self._protected.excludes(Spelled.of(relative)):
            return None
        return Verdict("ask", "protected", git_setting)

    def may_reach(self, operation: Operation) -> bool:
        """Whether any file may not be denied this operation: false if a rule denies it for every file and no
        later rule permits some."""
        if self.closed == () or self._asking.deny_everything(operation):
            return False
        if operation == "edit" and not self.may_reach("read"):
            return False
        return not self._rules.deny_everything(operation)

    def _own(self, root: str, relative: str) -> Verdict | None:
        path = fold_path(f"{root.rstrip('/')}/{relative}")
        for folded, folder in self._own_folders:
            if path == folded or path.startswith(f"{folded}/"):
                return Verdict("deny", "own", f"{folder.rstrip('/')}/**")
        return None

    def _by_path(self, operation: Operation, relative: str) -> Iterable[Verdict]:
        """The verdicts that do not depend on the mode. An edit reveals whether a text was found, so it is
        denied where reading is."""
        path = Spelled.of(relative)
        yield from self._applicable(operation, path)
        if operation == "edit":
            yield from (verdict for verdict in self._applicable("read", path) if verdict.decision == "deny")

    def _applicable(self, operation: Operation, path: Spelled) -> Iterable[Verdict]:
        yield from self._protection(operation, path)
        for rules in (self._rules, self._asking):
            yield from rules.switched_off(path)
        if any(path.raw not in files for files in self._closed):
            yield Verdict("deny", "files", "files")
        yield from self._rules.judge(operation, path)
        for verdict in self._asking.judge(operation, path):
            yield Verdict(verdict.decision, "workspace", verdict.rule)
        if self._faults:
            yield Verdict("ask", "fault", self._faults[0])

    def _protection(self, operation: Operation, path: Spelled) -> Iterable[Verdict]:
        protection = protection_of(path)
        if protection is not None:
            denied = protection.change == "deny"
            taken_out = protection.as_written and not denied and self._protected.excludes(path)
            decision = protection.read if operation == "read" else protection.change
            if decision != "allow" and not taken_out:
                yield Verdict(decision, "protected", protection.rule)
        if operation != "read":
            for globs in (self._protected, self._guarded):
                if (found := globs.forbids(path)) is not None:
                    yield Verdict("ask", "protected", found[0])

    def _by_mode(self, operation: Operation, mode: Mode) -> Verdict:
        if operation == "read" or mode == "manual" or not self._workspace.is_manual:
            allowed = operation == "read" or mode == "auto_edit"
            return Verdict("allow" if allowed else "ask", "mode")
        return Verdict("ask", "workspace", "approval.mode")


class RuleList:
    """Compiled rules: the last one that matches a path and mentions an operation decides.

    Rules that ask or deny match any spelling of a path. A match by another spelling can't be overruled by a
    later rule, since the file system may know the file by either."""

    def __init__(self, rules: Sequence[Rule], switches: Mapping[str, bool]) -> None:
        self._rules = [(rule, GlobList(rule.files)) for rule in rules]
        self._off = [
            (rule.requires, globs)
            for rule, globs in self._rules
            if rule.requires is not None and not switches.get(rule.requires, False)
        ]

    def judge(self, operation: Operation, path: Spelled) -> Iterable[Verdict]:
        """The deciding rule, and the rules that match other spellings."""
        decided = False
        for rule, globs in reversed(self._rules):
            decision = rule.says(operation)
            if decision == "allow" and not decided:
                glob = globs.permits(path)
                if glob is not None:
                    decided = True
                    yield Verdict("allow", "rule", glob)
            elif decision in {"ask", "deny"} and (found := globs.forbids(path)) is not None:
                glob, as_written = found
                if not as_written:
                    yield Verdict(decision, "spelling", glob)
                elif not decided:
                    decided = True
                    yield Verdict(decision, "rule", glob)

    def switched_off(self, path: Spelled) -> Iterable[Verdict]:
        """A file is inaccessible if any matching rule requires a switch that is off."""
        for name, globs in self._off:
            if globs.forbids(path) is not None:
                yield Verdict("deny", "switch", f"switches.{name}")

    def deny_everything(self, operation: Operation) -> bool:
        """Whether some rule denies it for every file and no later one permits it, or a switch that is off
        covers every file."""
        if any(globs.is_everything for _, globs in self._off):
            return True
        for rule, globs in reversed(self._rules):
            decision = rule.says(operation)
            if decision == "deny" and globs.is_everything:
                return True
            if decision in {"ask", "allow"}:
                return False
        return False


@lru_cache(maxsize=1)
def _users_rules(rules: tuple[Rule, ...], switches: frozenset[tuple[str, bool]]) -> RuleList:
    """Compiled once for all roots, and kept when a root's file changes: 200 rules take 20 ms."""
    return RuleList(rules, dict(switches))


def _intersection(users: tuple[str, ...] | None, folders: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The paths on both closed lists, or on the only one; None if there is no list."""
    if users is None or folders is None:
        return folders if users is None else users
    also = frozenset(folders)
    return tuple(path for path in users if path in also)


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest of one or more verdicts; the first of equally strict ones."""
    return max(verdicts, key=_strictness)


def _strictness(verdict: Verdict) -> int:
    return _ORDER[verdict.decision]


_ORDER: dict[Permission, int] = {"allow": 0, "ask": 1, "deny": 2}
_MAX_KEPT = 4096
