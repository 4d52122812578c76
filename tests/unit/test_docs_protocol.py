"""docs/protocol.md describes exactly what the server accepts, serves and answers."""

import ast
import re
import typing
from collections.abc import Iterator
from typing import Any

import pytest

from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api.dialects.definitions import FORMATS
from agentfs_lsp.api.dialects.standard import STANDARD
from agentfs_lsp.api.messages.errors import ERRORS
from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.domain.matching.levels import Level
from agentfs_lsp.domain.text.escaping import Kind
from agentfs_lsp.lsp.capabilities import flatten
from agentfs_lsp.lsp.features.agents import COMMANDS, MANUAL_COMMAND
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS, REVIEWER_REQUESTS
from agentfs_lsp.service.proposal.proposal import Outcome, Rung
from support.docs import REPOSITORY, codes, keys, section, table, tables, text_of

DOCS = text_of("protocol.md")
PACKAGE = REPOSITORY / "server" / "agentfs_lsp"


def of_section(number: str) -> str:
    """A section by the start of its title."""
    (title,) = (
        line.lstrip("# ") for line in DOCS.split("\n") if line.startswith("#") and f" {number} " in line
    )
    return section(DOCS, title)


# --- tables ---------------------------------------------------------------------------------------------


def test_no_parameter_is_listed_without_a_meaning() -> None:
    for rows in tables(DOCS):
        for row in rows:
            assert row.get("meaning", "said") != "", row


# --- what is served ---------------------------------------------------------------------------------------


def named_in_code(pattern: str) -> set[str]:
    """All of our methods in the server's strings, except in documentation."""
    return {
        node.value
        for path in PACKAGE.rglob("*.py")
        if "demo" not in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.startswith(pattern) and node.value.removeprefix(pattern).isalpha()
    }


def test_the_commands_are_those_served() -> None:
    assert list(COMMANDS) == [method.replace("/", ".") for method in AGENT_REQUESTS]
    assert f"`{MANUAL_COMMAND}`" in of_section("15")


def sent_and_served() -> set[str]:
    """Our methods in the tables of sections 1, 2, and 14, and in sections 16 and 18."""
    sent = keys(table(of_section("1"), "message")) + keys(table(of_section("14"), "notification"))
    ours = {method for method in sent if method.startswith("agentfs/")}
    (attach,) = set(codes(of_section("16"))) & {"agentfs/attach"}
    (pair,) = set(codes(of_section("18"))) & {"agentfs/pair"}
    return {*AGENT_REQUESTS, *EDITOR_REQUESTS, *USER_REQUESTS, *ours, attach, pair}


def test_what_reviewers_may_send_is_in_the_document() -> None:
    listed = [code for row in table(of_section("18"), "request") for code in codes(row["request"])]
    assert sorted(listed) == sorted([*REVIEWER_REQUESTS, *USER_REQUESTS])


def test_every_method_in_the_code_is_in_the_document() -> None:
    assert sent_and_served() == named_in_code("agentfs/")


def test_every_method_in_any_document_is_served_or_sent() -> None:
    known = sent_and_served()
    for page in (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), *REPOSITORY.glob("extension/*.md")):
        named = {code for code in codes(page.read_text("utf-8")) if re.fullmatch(r"agentfs/[a-zA-Z]+", code)}
        assert named <= known, page


def test_the_messages_the_server_sends_are_told() -> None:
    sent = {
        node.args[0].value
        for path in (PACKAGE / "lsp").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in {"request", "notify"} and node.args
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }
    told = set(keys(table(of_section("1"), "message")))
    assert told - {"$/progress"} == sent - set(keys(table(of_section("14"), "notification")))


class Asked(dict[str, Any]):
    """Capabilities that have every member, and record which were read."""

    def __init__(self, at: str, asked: set[str]) -> None:
        self.at = at
        self.asked = asked

    def get(self, name: str, default: object = None) -> Any:
        path = f"{self.at}.{name}".removeprefix(".")
        self.asked.add(path)
        return "Visual Studio Code" if path == "clientInfo.name" else Asked(path, self.asked)


def test_the_capabilities_that_are_used_are_told() -> None:
    asked: set[str] = set()
    flatten(Asked("", asked))
    whole = {path for path in asked if not any(other.startswith(f"{path}.") for other in asked)}
    used = {path.removeprefix("capabilities.") for path in whole}
    (sentence,) = re.findall(r"Of its other capabilities the server uses (.*?);", of_section("1"), re.DOTALL)
    ours = {path for path in used if path.startswith("experimental.agentfs.")}
    assert set(codes(sentence)) == used - ours, "docs/protocol.md, section 1, the list of capabilities"
    assert not {path for path in ours if path not in DOCS and f'"{path.split(".")[-1]}": true' not in DOCS}


# --- closed sets ------------------------------------------------------------------------------------------


def test_the_error_codes() -> None:
    assert set(keys(table(of_section("3"), "code"))) == {code for code, _ in ERRORS.values()} | {
        "INTERNAL_ERROR"
    }


WARNINGS = (
    *("secret", "syntax", "misread", "hard_links", "on_save"),
    *("escaped", "elided", "formatter", "corrected"),
)


@pytest.mark.parametrize(
    ("number", "column", "known"),
    [
        ("2", "method", [*AGENT_REQUESTS]),
        ("14", "request", [*EDITOR_REQUESTS, *USER_REQUESTS]),
        ("7", "level", [*typing.get_args(Level)]),
        ("9", "rung", [*(rung for rung in typing.get_args(Rung) if rung != "terminal"), "none"]),
        ("9.1", "code", [*typing.get_args(Code)]),
        ("9.1", "outcome", [*typing.get_args(Outcome)]),
        ("9.4", "warning kind", [*typing.get_args(Kind), *WARNINGS]),
    ],
)
def test_a_table_is_in_the_order_of_the_code(number: str, column: str, known: list[str]) -> None:
    assert keys(table(of_section(number), column)) == known


def test_the_formats_of_definitions() -> None:
    (write,) = (tool for tool in STANDARD.tools if tool.operation == "write")
    told = {row["format"].strip("`"): row["a definition"] for row in table(DOCS, "format")}
    assert list(told) == list(FORMATS)
    for name, shape in FORMATS.items():
        made = shape(write, "", {})
        inner = [each for each in made.values() if isinstance(each, dict)]
        assert set(re.findall(r'"(\w+)"', told[name])) == {key for each in (made, *inner) for key in each}


def limits_told() -> Iterator[tuple[str, str]]:
    from agentfs_lsp.adapters.history import database as history_db
    from agentfs_lsp.adapters.history import history
    from agentfs_lsp.adapters.review import client, questions
    from agentfs_lsp.api import exchange, progress
    from agentfs_lsp.domain.text import escaping as shown
    from agentfs_lsp.jsonrpc import codec, framing
    from agentfs_lsp.lsp import language_server, serving, sweeping
    from agentfs_lsp.lsp import results as editor_params
    from agentfs_lsp.lsp.configuration import configuration
    from agentfs_lsp.service import history as service_history
    from agentfs_lsp.service.proposal import wording
    from agentfs_lsp.service.state import tool_scope

    yield f"deeper than {codec.MAX_DEPTH} levels", "1"
    yield f"at most {framing.MAX_HEADER // 1024} KiB", "1"
    assert language_server.FINISH_S == 5
    yield "at most five seconds for that", "1"
    assert sweeping.LONGEST_S == 5
    yield "at most five seconds from the start", "1"
    yield f"after {progress.PROGRESS_AFTER_S:g} s, then every {progress.PROGRESS_EVERY_S:g} s", "2"
    yield f"of the last {client.REMEMBERED} proposals that ended", "9.1"
    yield f"at most {editor_params.FEEDBACK_CHARACTERS:,} characters; goes to the agent", "9.1"
    yield f"Over {questions.MAX_PAGES} pages", "9.2"
    yield f"{questions.DRAWING_S:g} s after the client's answer", "9.2"
    yield f"of any document for {questions.QUIET_S:g} s", "9.2"
    yield f"After {questions.LONGEST_QUIET_WAIT_S:g} s of typing", "9.2"
    yield f"sent again after {questions.REPEAT_S:g} s, once", "9.2"
    yield f"After {questions.REPEAT_S:g} s more others", "9.2"
    yield f"elsewhere after {questions.YIELD_S:g} s", "9.2"
    yield (
        f"asked again every {questions.BUSY_S:g} s, and others first after {2 * questions.REPEAT_S:g} s",
        "9.2",
    )
    yield f"at most {wording.EXPLANATION_SHOWN} characters", "9.2"
    assert wording.MAX_WARNINGS == 8
    yield "up to eight warnings", "9.2"
    yield f"At most {shown.MAX_FINDINGS} come from the text", "9.4"
    yield f"as far as {serving.OPEN_FILES}", "1"
    yield f"Strings over {exchange.STRING_LIMIT // 1024} KiB", "3"
    assert history_db._LARGEST == 4
    yield "takes a quarter of `history.max_mib`", "11"
    yield f"more than {history.WAITING_BYTES >> 20} MiB of texts", "11"
    yield f"more than {service_history.MAX_TEXT >> 20} Mi characters", "11"
    yield f"(up to {tool_scope.MAX_NAMED}; globs", "12"
    yield f"wait up to {configuration.FIRST_ANSWER_S:g} s", "13"


def test_what_each_editor_shows_of_a_message_is_told() -> None:
    from agentfs_lsp.adapters.review import message_limits

    told = {}
    for row in table(of_section("9.2"), "`clientInfo.name`"):
        rows, columns = map(int, row["rows of columns"].split(" of "))
        facts = (
            (rows, columns, int(row["characters (UTF-16)"])),
            row["line ends"] != "kept",
            row["the diff's window scrolls beside the question"] == "yes",
            row["keys answer"] == "yes",
            int(row["choices of the page that confirms"].replace("none", "0")),
        )
        names = row["`clientInfo.name`"].replace(", or none", ", ").split(", ")
        told |= dict.fromkeys(names, facts)
    assert told == {
        name: (
            (it.rows, it.columns, it.characters),
            it.joins_lines,
            it.scrolls_behind,
            it.keys_answer,
            it.confirming_choices,
        )
        for name, it in {**message_limits._BY_NAME, "any other": message_limits._LEAST}.items()
    }


@pytest.mark.parametrize(("said", "number"), list(limits_told()))
def test_figures_are_those_in_the_code(said: str, number: str) -> None:
    assert said in " ".join(of_section(number).split())
