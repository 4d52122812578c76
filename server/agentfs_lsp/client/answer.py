"""The response to a request, for the host and for its model (docs/protocol.md#3-envelope)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

Status = Literal["success", "partial", "error"]

_TOLD = (
    "applied",
    "operation",
    "unchanged",
    "diff_truncated",
    "landing",
    "change_id",
    "replacements",
    "match",
    "review",
)
"""Members of `data` that `text` or the sections of `for_model` already tell."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. `envelope`: as it came over the wire."""

    envelope: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """`"success"`, `"partial"` (usable, with the limitation that `text` names), or `"error"`."""
        return cast("Status", self.envelope["status"])

    @property
    def ok(self) -> bool:
        """Whether there is a usable result. For a change, `applied` says whether it is on disk."""
        return self.status != "error"

    @property
    def text(self) -> str:
        """What happened, the resulting state, and the next step, in words for the model."""
        return str(self.envelope["text"])

    @property
    def data(self) -> Mapping[str, Any]:
        """The result; empty if `status` is `"error"`."""
        return cast("Mapping[str, Any]", self.envelope["data"])

    @property
    def stats(self) -> Mapping[str, Any]:
        """Numbers about the request, such as `time_ms`, and the file's encoding."""
        return cast("Mapping[str, Any]", self.envelope["stats"])

    @property
    def context(self) -> Mapping[str, Any]:
        """Information about the request and its file."""
        return cast("Mapping[str, Any]", self.envelope["context"])

    @property
    def code(self) -> str | None:
        """The error's code, such as `"CONFLICT"` or `"USER_REJECTED"`; None unless `status` is `"error"`."""
        error = self.envelope.get("error")
        return None if error is None else str(error["code"])

    @property
    def content(self) -> str | None:
        """The text that a read returned; None for everything else."""
        return cast("str | None", self.data.get("content"))

    @property
    def applied(self) -> bool:
        """Whether the change is on disk. One that waits in the editor to be saved is not: see `landing`."""
        return bool(self.data.get("applied"))

    @property
    def landing(self) -> Literal["disk", "editor", "unknown"] | None:
        """Where the change landed; None if it did not."""
        return self.data.get("landing") or self.context.get("landing")

    @property
    def change_id(self) -> str | None:
        """The change's id, with which `undo` can reverse it."""
        return cast("str | None", self.data.get("change_id"))

    @property
    def review(self) -> Mapping[str, Any]:
        """How it was decided (docs/protocol.md#94-what-the-answer-says); empty without a decision."""
        return self.data.get("review") or self.context.get("review") or {}

    @property
    def decision(self) -> str | None:
        """`"allowed"` by policy, or the user's: `"accepted"`, `"amended"`, `"rejected"`, `"dismissed"`,
        `"withdrawn"`, `"timed_out"`."""
        return cast("str | None", self.review.get("decision"))

    @property
    def feedback(self) -> str:
        """What the user wrote to the agent."""
        return str(self.review.get("feedback", ""))

    @property
    def warnings(self) -> Sequence[Mapping[str, Any]]:
        """`{kind, line, detail}` of what a reviewer should see; `line` counts from 1, 0 is the whole file."""
        return cast("Sequence[Mapping[str, Any]]", self.data.get("warnings", ()))

    @property
    def diagnostics(self) -> Sequence[Mapping[str, Any]]:
        """`{line, message, severity, source}` of each problem that the change introduced; `path`, too, for a
        batch."""
        return cast("Sequence[Mapping[str, Any]]", self.data.get("diagnostics", ()))

    def for_model(self) -> str:
        """The one string that a model should receive.

        For a read the content, below `text` if that says more than which lines they are. For everything else
        `text`, and below it what `text` refers to: amendments, merged changes, warnings, the diff of a
        conflict or of a dry run, and the results of a batch."""
        if self.content is not None:
            if f"{self.text}\n\n".startswith(f"{self.content}\n\n"):  # so in the dialect `workspace`
                return self.text
            whole = self.status == "success" and self.content and not self.data.get("dirty")
            return self.content if whole else f"{self.text}\n\n{self.content}".rstrip("\n")
        return "\n\n".join([self.text, *(f"{name}:\n{_shown(value)}" for name, value in self._details())])

    def _details(self) -> list[tuple[str, Any]]:
        conflict = self.context.get("conflict") or {}
        found = [
            *((f"review.{key}", self.review.get(key)) for key in ("amendments", "on_save")),
            ("diff_since_read", conflict.get("diff_since_read")),
            ("results", self.context.get("batch")),
            ("files", self.context.get("files")),
        ]
        for key, value in self.data.items():
            if key == "diff_preview":
                found += [(key, value)] if self.landing is None and not self.data.get("unchanged") else []
            elif key not in _TOLD:
                found.append((key, value))
        return [(name, value) for name, value in found if value not in (None, "", [], {})]


def _shown(value: object) -> str:
    return value.rstrip("\n") if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
