"""The output of `agentfs-lsp check-config`, as tables or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.domain.policy.verdict import Source, Verdict
from agentfs_lsp.domain.settings.rules import OPERATIONS, Operation, Permission, Rule
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.lsp.configuration.workspace_file import NAME, WorkspaceFile


@dataclass(frozen=True, slots=True)
class Judged:
    """A path, where it leads in the root, and the verdicts that apply per operation, strictest first;
    `refused` says why it leads nowhere."""

    path: str
    resolved: str = ""
    verdicts: tuple[tuple[Operation, tuple[Verdict, ...]], ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The settings of a folder. `settings`: the effective settings; `problems`: invalid settings."""

    root: str
    settings: Settings
    workspace: WorkspaceFile
    problems: tuple[str, ...]
    paths: tuple[Judged, ...]


_STYLES: dict[Permission, str] = {"allow": "green", "ask": "yellow", "deny": "red"}


def print_report(report: Report, translate: Translate) -> None:
    """Print the report to standard output, in color if it is a terminal."""
    console = TerminalConsole(highlight=False)
    for line in _heading(report, translate):
        console.print(_text(line))
    if not report.paths:
        console.print(_rules(report, translate))
    for judged in report.paths:
        console.print(_table_of(judged, translate))
    for problem in report.problems:
        console.print(_text(problem, "red"))


def _heading(report: Report, translate: Translate) -> Iterator[str]:
    settings = report.settings
    yield translate("Folder: {path}", path=report.root)
    yield translate("Mode: {mode}", mode=_mode(report))
    for name, on in settings.switches.items():
        yield translate("Switch {name}: on", name=name) if on else translate("Switch {name}: off", name=name)
    for files in (settings.files, report.workspace.tightening.files):
        if files is not None:
            yield translate("Only these files: {files}", files=", ".join(files) or "-")


def _mode(report: Report) -> Mode:
    return "manual" if report.workspace.tightening.is_manual else report.settings.approval.mode


def as_json(report: Report) -> dict[str, object]:
    """The same as values, with all verdicts on a path, not only the deciding one."""
    settings = report.settings
    return {
        "folder": report.root,
        "mode": _mode(report),
        "switches": dict(settings.switches),
        "files": settings.files,
        "rules": [
            {
                "source": source,
                "files": rule.files,
                **{one: rule.says(one) for one in OPERATIONS},
                "requires": rule.requires,
            }
            for source, rule in _sourced(report)
        ],
        "protected": [*settings.protected, *report.workspace.tightening.protected],
        "problems": report.problems,
        "paths": [
            {"path": judged.path, "error": judged.refused}
            if judged.refused
            else {
                "path": judged.path,
                "resolved": judged.resolved,
                **{one: _verdicts(voices) for one, voices in judged.verdicts},
            }
            for judged in report.paths
        ],
    }


def _verdicts(voices: tuple[Verdict, ...]) -> dict[str, object]:
    said = [{"decision": one.decision, "source": one.source, "rule": one.rule} for one in voices]
    return {**said[0], "besides": said[1:]}


def _sourced(report: Report) -> Iterator[tuple[str, Rule]]:
    """Every rule with its origin."""
    for rule in report.settings.rules:
        yield "settings", rule
    for rule in report.workspace.tightening.rules:
        yield NAME, rule


def _rules(report: Report, translate: Translate) -> Table:
    """Every rule in order: among the user's, the last that matches and names the operation decides."""
    heads = translate("from"), translate("files"), translate("read"), translate("write"), translate("edit")
    title = _text(translate("Rules: the last match decides"))
    table = Table(*heads, translate("requires"), title=title)
    asked = _decision("ask", translate)
    for source, rule in _sourced(report):
        decisions = [_decision(rule.says(operation), translate) for operation in OPERATIONS]
        table.add_row(source, Text("\n").join(map(_text, rule.files)), *decisions, _text(rule.requires or ""))
    users, workspaces = report.settings.protected, report.workspace.tightening.protected
    for source, globs in (("protected", users), (f"{NAME}: protected", workspaces)):
        for glob in globs:
            added = "" if glob.startswith("!") else asked
            table.add_row(source, _text(glob), "", added, added, "")
    always, denied = translate("always"), _decision("deny", translate)
    table.add_row(always, translate("files that run code or configure tools"), "", asked, asked, "")
    table.add_row(always, translate("files that contain secrets"), asked, asked, asked, "")
    table.add_row(always, translate("files of version control and of agentfs"), denied, denied, denied, "")
    return table


def _table_of(judged: Judged, translate: Translate) -> Table | Text:
    if judged.refused:
        return _text(f"{judged.path}: {judged.refused}", "red")
    title = judged.path if judged.resolved == judged.path else f"{judged.path} -> {judged.resolved}"
    table = Table(
        translate("operation"), translate("decision"), translate("by"), translate("also"), title=_text(title)
    )
    words = {"read": translate("read"), "write": translate("write"), "edit": translate("edit")}
    for operation, (decided, *others) in judged.verdicts:
        besides = Text("\n").join(
            Text.assemble(_decision(other.decision, translate), f" {_because(other, translate)}")
            for other in others
        )
        by = _text(_because(decided, translate))
        table.add_row(words[operation], _decision(decided.decision, translate), by, besides)
    return table


def _because(verdict: Verdict, translate: Translate) -> str:
    rule = verdict.rule or ""
    reasons: dict[Source, str] = {
        "own": translate("agentfs' own folder"),
        "protected": translate("protected: {rule}", rule=rule),
        "switch": translate("{rule} is off", rule=rule),
        "files": translate("not in the list of files"),
        "rule": translate("rule {rule}", rule=rule),
        "spelling": translate("rule {rule}, through another spelling", rule=rule),
        "workspace": f"{NAME}: {rule}",
        "fault": translate("{rule} is invalid: everything requires approval", rule=rule),
        "mode": translate("mode"),
    }
    return escape_to_one_line(reasons[verdict.source])


def _decision(permission: Permission | None, translate: Translate) -> Text:
    words: dict[Permission, str] = {
        "allow": translate("allowed"),
        "ask": translate("asked"),
        "deny": translate("denied"),
    }
    return Text(words[permission], style=_STYLES[permission]) if permission else Text()


def _text(plain: str, style: str = "") -> Text:
    """Plain text: a glob's brackets are not markup."""
    return Text(escape_to_one_line(plain), style)
