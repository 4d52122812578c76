"""`Answer.for_model` contains what `text` refers to, and nothing that the model does not need."""

from typing import Any

import pytest

from agentfs_lsp.client.answer import Answer


def answer(text: str, status: str = "success", data: Any = None, context: Any = None, **more: Any) -> Answer:
    return Answer(
        {"status": status, "data": data or {}, "text": text, "stats": {}, "context": context or {}, **more}
    )


LANDED = {
    "applied": True,
    "operation": "update",
    "unchanged": False,
    "diff_preview": "-two\n+2\n",
    "diff_truncated": False,
    "warnings": [],
    "corrections": [],
    "landing": "disk",
    "change_id": "c1",
    "review": {"rung": "review", "decision": "accepted", "by": "user", "waited_ms": 1},
}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (answer("Read 'a.py'.", data={"content": "one\n", "dirty": False}), "one\n"),
        (answer("Read 'a.py', an empty file.", data={"content": ""}), "Read 'a.py', an empty file."),
        (
            answer("More lines follow.", "partial", {"content": "one\n", "truncated": True}),
            "More lines follow.\n\none",
        ),
        (
            answer("It has unsaved changes.", data={"content": "one\n", "dirty": True}),
            "It has unsaved changes.\n\none",
        ),
        (answer("one\n", data={"content": "one\n", "dirty": True}), "one\n"),
        (answer("one\n\n\nMore.", "partial", {"content": "one\n", "truncated": True}), "one\n\n\nMore."),
        (answer("R", "partial", {"content": "R\n", "truncated": True}), "R\n\nR"),
        (answer("Updated 'a.py'.", data=LANDED), "Updated 'a.py'."),
        (
            answer("See review.amendments.", data=LANDED | {"review": {"amendments": "-2\n+ZWEI\n"}}),
            "See review.amendments.\n\nreview.amendments:\n-2\n+ZWEI",
        ),
        (
            answer(
                "See merged.", data=LANDED | {"merged": "+x\n", "warnings": [{"kind": "secret", "line": 1}]}
            ),
            'See merged.\n\nwarnings:\n[{"kind": "secret", "line": 1}]\n\nmerged:\n+x',
        ),
        (
            answer(
                "Dry run.", "partial", {"applied": False, "diff_preview": "-two\n+2\n", "unchanged": False}
            ),
            "Dry run.\n\ndiff_preview:\n-two\n+2",
        ),
        (
            answer(
                "It changed.",
                "error",
                context={"conflict": {"diff_since_read": "-two\n+zwei\n"}},
                error={"code": "CONFLICT", "message": ""},
            ),
            "It changed.\n\ndiff_since_read:\n-two\n+zwei",
        ),
        (
            answer("Unknown.", "error", context={"landing": "unknown", "files": [{"path": "a.py"}]}),
            'Unknown.\n\nfiles:\n[{"path": "a.py"}]',
        ),
    ],
)
def test_the_model_gets_what_the_text_refers_to(given: Answer, shown: str) -> None:
    assert given.for_model() == shown


def test_a_host_asks_by_name() -> None:
    landed = answer("Updated.", data=LANDED)
    assert (landed.ok, landed.applied, landed.landing, landed.change_id) == (True, True, "disk", "c1")
    assert (landed.decision, landed.feedback, landed.code, landed.content) == ("accepted", "", None, None)
    review = {"decision": "rejected", "feedback": "No."}
    refused = answer(
        "No.", "error", context={"review": review}, error={"code": "USER_REJECTED", "message": ""}
    )
    assert (refused.ok, refused.applied, refused.landing, refused.change_id) == (False, False, None, None)
    assert (refused.decision, refused.feedback, refused.code) == ("rejected", "No.", "USER_REJECTED")
