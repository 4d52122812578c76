"""Errors about parameters that are missing, unknown, or invalid."""

from __future__ import annotations

from typing import Any

from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import Translate


def parameter_text(error: BadParameter, translate: Translate) -> str:
    """The error as one sentence."""
    fitting = ", ".join(map(shown, error.fitting))
    facts: dict[str, Any] = {"name": shown(cut_name(error.name, LONGEST_UNKNOWN)), "bound": error.bound}
    problems = {
        "missing": translate("Parameter '{name}' is missing.", **facts),
        "unknown": translate(
            "Unknown parameter '{name}'. This request accepts {names}.", names=fitting, **facts
        ),
        "misspelt": translate("Unknown parameter '{name}'. Did you mean {meant}?", meant=fitting, **facts),
        "twice": translate(
            "Parameters '{other}' and '{name}' mean the same but have different values. Give "
            "only one of them.",
            other=fitting,
            **facts,
        ),
        "beside_and_in": translate(
            "Parameter '{name}' has different values inside and outside 'arguments'. Give it only once.",
            **facts,
        ),
        "no_object": translate("Parameter '{name}' must be a JSON object.", **facts),
        "kind": translate("Parameter '{name}' must be {kinds}.", kinds=_kinds(error, translate), **facts),
        "choice": translate("Parameter '{name}' must be one of {choices}.", choices=fitting, **facts),
        "small": translate("Parameter '{name}' must be at least {bound}.", **facts),
        "large": translate("Parameter '{name}' must be at most {bound}.", **facts),
        "short": translate(
            "Parameter '{name}' must have at least one character.",
            plural="Parameter '{name}' must have at least {count} characters.",
            count=error.bound,
            **facts,
        ),
        "long": translate("Parameter '{name}' must have at most {bound} characters.", **facts),
        "few": translate("Parameter '{name}' must not be empty.", **facts),
        "many": translate("Parameter '{name}' must have at most {bound} entries.", **facts),
    }
    return problems[error.problem]


def _kinds(error: BadParameter, translate: Translate) -> str:
    kinds = {
        "string": translate("a string"),
        "whole": translate("a whole number"),
        "flag": translate("true or false"),
        "object": translate("a JSON object"),
        "list": translate("a list"),
    }
    return translate(" or ").join(kinds[kind] for kind in error.kinds)
