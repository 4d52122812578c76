"""Rules against paths and operations, from the files in tests/cases/policy/."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from agentfs_lsp.domain.policy.tightening import Tightening
from agentfs_lsp.domain.policy.verdict import Policy
from agentfs_lsp.domain.settings.rules import OPERATIONS
from agentfs_lsp.lsp.configuration.workspace_file import read_file
from agentfs_lsp.service.files.store import Root
from support.layers import layered

CASES = sorted((Path(__file__).parents[1] / "cases" / "policy").glob("*.txt"))
ROOT = Root("app", "/home/u/app", "file:///home/u/app")
HEADER = re.compile(r"^path +read +write +edit$", re.MULTILINE)
ROW = re.compile(r'^("(?:[^"\\]|\\.)*"|\S+) +(allow|ask|deny) +(allow|ask|deny) +(allow|ask|deny)(?: +#.*)?$')


class Row(NamedTuple):
    case: str
    path: str
    decisions: tuple[str, ...]


def parts(case: Path) -> tuple[str, str, list[str]]:
    """The settings, the workspace's file and the rows."""
    given, rows = HEADER.split(case.read_text("utf-8"))
    _, _, rest = given.partition("\n\nsettings\n")
    settings, _, workspace = rest.partition("\n\nworkspace\n")
    return settings, workspace, rows.strip("\n").split("\n")


def policy_of(case: Path) -> tuple[Policy, str]:
    settings, workspace, _ = parts(case)
    users = layered(("initialization", json.loads(settings))).settings
    said = read_file(ROOT, workspace.encode()).tightening if workspace else Tightening()
    return Policy(users, [], said), users.approval.mode


def rows() -> list[Row]:
    found = []
    for case in CASES:
        for line in parts(case)[2]:
            row = ROW.match(line)
            assert row, f"{case.name}: {line!r}"
            path = json.loads(row[1]) if row[1].startswith('"') else row[1]
            found.append(Row(case.stem, path, row.groups()[1:]))
    return found


ROWS = rows()
POLICIES = {case.stem: policy_of(case) for case in CASES}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.case}-{row.path!a}")
def test_what_may_be_done(row: Row) -> None:
    policy, mode = POLICIES[row.case]
    judged = [policy.judge(one, row.path, root=ROOT.path, mode=mode).decision for one in OPERATIONS]
    assert tuple(judged) == row.decisions


def test_there_are_at_least_150_distinct_cases() -> None:
    assert len(ROWS) >= 150
    assert len({(row.case, row.path) for row in ROWS}) == len(ROWS)
