"""What the user is told of settings that are not in force (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agentfs_lsp.domain.settings import SETTINGS
from agentfs_lsp.domain.shown import escape_to_one_line
from agentfs_lsp.domain.texts import sentences

if TYPE_CHECKING:
    from agentfs_lsp.domain.shapes import Wanted
    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.lsp.settings_reading import Problem


RULE = '{"files": [globs], "read" | "write" | "edit": "allow" | "ask" | "deny", "requires": switch}'


def problem_text(problem: Problem, say: Say) -> str:
    """One or two sentences: what is wrong with which setting, and what is in force instead."""
    name = _name(problem)
    match problem.kind:
        case "users_alone" | "loosens" | "too_large" | "unreadable" | "no_toml":
            return _of_workspace(problem, name, say)
        case "unknown":
            return say("{name} is no setting of agentfs; it is ignored.", name=name)
        case "switch_missing":
            return say("{name} is required by a rule and not set: the switch is off.", name=name)
        case "no_object":
            return say(
                "{name} must be an object, not {given}; what guards in it is as strict as can be.",
                name=name,
                given=problem.given,
            )
        case "wrong":
            assert problem.wanted is not None
            facts: dict[str, Any] = {
                "name": name,
                "given": problem.given,
                "wanted": _wanted(problem.wanted, say),
            }
            return _instead(problem.key, facts, say)


def _name(problem: Problem) -> str:
    path = escape_to_one_line(problem.path)
    if problem.origin:
        origin = escape_to_one_line(problem.origin)
        return f"{origin}: {path}" if path else origin
    return path if problem.kind == "no_object" and path == "agentfs" else f"agentfs.{path}"


def _of_workspace(problem: Problem, name: str, say: Say) -> str:
    """What is wrong with a workspace's file, and what that means."""
    if problem.kind == "users_alone":
        return say("{name} can be set in your own settings alone; it is ignored.", name=name)
    if problem.kind == "loosens":
        only = json.dumps(SETTINGS[problem.key].strictest)
        return say("{name} can only be {only} in a workspace; it is ignored.", name=name, only=only)
    whats = {
        "too_large": say("{name} is larger than 64 KiB.", name=name),
        "unreadable": say("{name} can't be read as a plain file.", name=name),
        "no_toml": say("{name} is not TOML in UTF-8.", name=name),
    }
    asked = say("Until it is mended, you are asked before anything in its folder is read or changed.")
    return sentences(say, (whats[problem.kind], asked))


def _instead(key: str, facts: dict[str, Any], say: Say) -> str:
    """What is wrong, and what is in force for it."""
    setting = SETTINGS.get(key)
    if setting is not None and setting.wrong_asks:
        return say(
            "{name} must be {wanted}, not {given}. Until it is mended, you are asked before anything is read"
            " or changed.",
            **facts,
        )
    if key == "files":
        return say("{name} must be {wanted}, not {given}; it names no file.", **facts)
    strictest = setting.strictest if setting is not None else False
    if strictest is None:
        return say("{name} must be {wanted}, not {given}; it is ignored.", **facts)
    return say(
        "{name} must be {wanted}, not {given}; {instead} is used.", instead=json.dumps(strictest), **facts
    )


def _wanted(wanted: Wanted, say: Say) -> str:
    bounds: dict[str, Any] = {"minimum": wanted.minimum, "maximum": wanted.maximum}
    kinds = {
        "choice": say("one of {options}", options=", ".join(f'"{option}"' for option in wanted.options)),
        "flag": say("true or false"),
        "whole": say("a whole number from {minimum} to {maximum}", **bounds),
        "seconds": say("a number of seconds from {minimum:g} to {maximum:g}", **bounds),
        "encoding": say("the name of an encoding that extends ASCII, such as utf-8 or windows-1252"),
        "roots": say("a list of {entry}", entry='{"path": …, "name": …}'),
        "absolute_paths": say("a list of folders given by absolute paths or file: URIs"),
        "plain_names": say("a list of folders with printable names without slashes"),
        "own_names": say("a list of folders each with a name of its own"),
        "rules": say("a list of {entry}", entry=RULE),
        "globs": say("a list of globs as .gitignore has them"),
        "glob": say("a glob as .gitignore has them, with few stars"),
        "plain_paths": say("a list of paths relative to the workspace folder"),
        "plain_path": say("a path relative to the workspace folder, without * in it"),
        "switches": say("an object of names that are true or false"),
        "switch_name": say("the name of a switch"),
    }
    return kinds[wanted.kind]
