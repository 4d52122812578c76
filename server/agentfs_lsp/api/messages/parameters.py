"""What is told of a parameter that is missing, unknown or of the wrong shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown

if TYPE_CHECKING:
    from agentfs_lsp.domain.errors import BadParameter
    from agentfs_lsp.domain.translation import Say


def parameter_text(error: BadParameter, say: Say) -> str:
    """One sentence."""
    fitting = ", ".join(map(shown, error.fitting))
    facts: dict[str, Any] = {"name": shown(cut_name(error.name, LONGEST_UNKNOWN)), "bound": error.bound}
    problems = {
        "missing": say("Parameter '{name}' is missing.", **facts),
        "unknown": say(
            "Parameter '{name}' is not a parameter of this request; known are {names}.",
            names=fitting,
            **facts,
        ),
        "misspelt": say(
            "Parameter '{name}' is not a parameter of this request; did you mean {meant}?",
            meant=fitting,
            **facts,
        ),
        "twice": say(
            "Parameters '{other}' and '{name}' mean the same but have different values: give one of them.",
            other=fitting,
            **facts,
        ),
        "beside_and_in": say(
            "Parameter '{name}' has one value beside 'arguments' and another in it: give it once.", **facts
        ),
        "no_object": say("Parameter '{name}' must be one JSON object.", **facts),
        "kind": say("Parameter '{name}' must be {kinds}.", kinds=_kinds(error, say), **facts),
        "choice": say("Parameter '{name}' must be one of {choices}.", choices=fitting, **facts),
        "small": say("Parameter '{name}' must be at least {bound}.", **facts),
        "large": say("Parameter '{name}' must be at most {bound}.", **facts),
        "short": say(
            "Parameter '{name}' must have at least one character.",
            plural="Parameter '{name}' must have at least {count} characters.",
            count=error.bound,
            **facts,
        ),
        "long": say("Parameter '{name}' must have at most {bound} characters.", **facts),
        "few": say("Parameter '{name}' must not be empty.", **facts),
        "many": say("Parameter '{name}' must have at most {bound} entries.", **facts),
    }
    return problems[error.problem]


def _kinds(error: BadParameter, say: Say) -> str:
    kinds = {
        "string": say("a string"),
        "whole": say("a whole number"),
        "flag": say("true or false"),
        "object": say("a JSON object"),
        "list": say("a list"),
    }
    return say(" or ").join(kinds[kind] for kind in error.kinds)
