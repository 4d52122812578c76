"""Messages about invalid settings (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.domain.shapes import Constraint
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import Translate, sentences
from agentfs_lsp.lsp.configuration.reading import Problem

_TOLD = 3
"""The number of problems to list individually."""

_LONGEST_KEY = 80
"""The number of characters of a key to show."""

RULE = '{"files": [globs], "read" | "write" | "edit": "allow" | "ask" | "deny", "requires": switch}'


def problems_text(problems: Sequence[Problem], translate: Translate) -> str:
    """The message about one or more problems that were found together: their number and the first, of each
    file if there are several. Ignored settings come last."""
    ranked = sorted(problems, key=lambda problem: problem.kind == "unknown")
    origin, count = ranked[0].origin, len(ranked)
    by_file = {one.origin: one for one in reversed(ranked)}
    if count == 1:
        return problem_text(ranked[0], translate)
    if len(by_file) > 1:
        first = [one for one in ranked if by_file[one.origin] is one][:_TOLD]
        said = [translate("{files} workspace files: {count} problems.", files=len(by_file), count=count)]
        said += [problem_text(one, translate) for one in first]
    else:
        first = ranked[:_TOLD]
        if origin:
            said = [translate("{file}: {count} problems.", file=escape_to_one_line(origin), count=count)]
        else:
            said = [translate("agentfs: {count} problems in the settings.", count=count)]
        said += [_told(one, _key(one), translate) for one in first]
    more = count - len(first)
    if more and origin and len(by_file) == 1:
        all_listed = translate(
            "agentfs-lsp check-config lists the other one too.",
            plural="agentfs-lsp check-config lists the other {count} too.",
            count=more,
        )
        said.append(all_listed)
    elif more:
        said.append(translate("There is one more.", plural="There are {count} more.", count=more))
    return sentences(translate, said)


def problem_text(problem: Problem, translate: Translate) -> str:
    """One or two sentences: the problem of a setting, and the value that applies instead."""
    key, origin = _key(problem), escape_to_one_line(problem.origin)
    if not key:
        return _told(problem, origin, translate)
    told = _told(problem, key, translate)
    return f"{origin}: {told}" if origin else told


def _told(problem: Problem, name: str, translate: Translate) -> str:
    match problem.kind:
        case "users_alone" | "loosens" | "too_large" | "unreadable" | "no_toml" | "too_slow":
            return _of_workspace(problem, name, translate)
        case "not_users":
            return translate(
                "{name} runs programs, so it counts only in initializationOptions: this editor may take "
                "other settings from the workspace; ignored.",
                name=name,
            )
        case "unknown":
            return translate("Unknown setting {name}; ignored.", name=name)
        case "switch_missing":
            return translate(
                "A rule requires the switch {name}, which is not set; it counts as off.", name=name
            )
        case "no_object":
            return translate(
                "{name} must be an object, not {given}; its protective settings fall back to "
                "their strictest values.",
                name=name,
                given=problem.given,
            )
        case "wrong":
            assert problem.constraint is not None
            facts: dict[str, Any] = {
                "name": name,
                "given": problem.given,
                "wanted": _accepted(problem.constraint, translate),
            }
            return _instead(problem.key, facts, translate)


def _key(problem: Problem) -> str:
    """The setting's name as in its file; the editor's settings are in the section agentfs."""
    path = escape_to_one_line(problem.path)
    path = path if len(path) <= _LONGEST_KEY else f"{path[:_LONGEST_KEY]}…"
    is_section = problem.kind == "no_object" and path == "agentfs"
    return path if problem.origin or is_section else f"agentfs.{path}"


def _of_workspace(problem: Problem, name: str, translate: Translate) -> str:
    """The problem of a workspace's file, and its effect."""
    if problem.kind == "users_alone":
        return translate("{name} can be set only in your own settings; ignored.", name=name)
    if problem.kind == "loosens":
        only = json.dumps(SETTINGS[problem.key].strictest)
        return translate("{name} can only be {only} in a workspace; ignored.", name=name, only=only)
    whats = {
        "too_large": translate("{name} is larger than 64 KiB.", name=name),
        "unreadable": translate("{name} cannot be read as a regular file.", name=name),
        "no_toml": translate("{name} is not valid TOML in UTF-8.", name=name),
        "too_slow": translate("{name} has keys or globs that take too long to process.", name=name),
    }
    asked = translate(
        "Until this is fixed, you will be asked before anything in its folder is read or changed."
    )
    return sentences(translate, (whats[problem.kind], asked))


def _instead(key: str, facts: dict[str, Any], translate: Translate) -> str:
    """The problem, and the value that applies instead."""
    setting = SETTINGS.get(key)
    if setting is not None and setting.wrong_asks:
        return translate(
            "{name} must be {wanted}, not {given}. Until this is fixed, you will be asked before "
            "anything is read or changed.",
            **facts,
        )
    if key == "files":
        return translate("{name} must be {wanted}, not {given}; it matches no file.", **facts)
    strictest = setting.strictest if setting is not None else False
    if strictest is None:
        return translate("{name} must be {wanted}, not {given}; ignored.", **facts)
    return translate(
        "{name} must be {wanted}, not {given}; {instead} is used.", instead=json.dumps(strictest), **facts
    )


def _accepted(constraint: Constraint, translate: Translate) -> str:
    bounds: dict[str, Any] = {"minimum": constraint.minimum, "maximum": constraint.maximum}
    kinds = {
        "choice": translate(
            "one of {options}", options=", ".join(f'"{option}"' for option in constraint.options)
        ),
        "flag": translate("true or false"),
        "whole": translate("a whole number from {minimum} to {maximum}", **bounds),
        "string": translate("a string"),
        "list": translate("a list"),
        "object": translate("a JSON object"),
        "token": translate("a string"),
        "seconds": translate("a number of seconds from {minimum:g} to {maximum:g}", **bounds),
        "encoding": translate("the name of an encoding that extends ASCII, such as utf-8 or windows-1252"),
        "roots": translate("a list of {entry}", entry='{"path": …, "name": …}'),
        "absolute_paths": translate("a list of folders given by absolute paths or file: URIs"),
        "folder": translate("the path of a folder that begins with / or ~/"),
        "plain_names": translate("a list of folders whose names are printable and contain no slashes"),
        "own_names": translate("a list of folders with unique names"),
        "rules": translate("a list of {entry}", entry=RULE),
        "rule": translate(
            "{entry} with files, at least one other of these keys, and no unknown key", entry=RULE
        ),
        "globs": translate("a list of globs in .gitignore syntax"),
        "globs_to_match": translate(
            "a list of globs in .gitignore syntax, not all of them with a ! before it"
        ),
        "glob": translate(
            "a glob in .gitignore syntax with at most three * in one name, two **, and no empty name, . or .."
        ),
        "glob_to_add": translate(
            "a glob in .gitignore syntax with at most three * in one name, two **, no empty name, . or .., "
            "and no ! before it"
        ),
        "plain_paths": translate("a list of paths relative to the workspace folder"),
        "plain_path": translate("a path relative to the workspace folder, without *"),
        "switches": translate("an object that maps names to true or false"),
        "switch_name": translate("the name of a switch"),
        "formatters": translate("an object that maps globs to commands"),
        "commands": translate(
            "a command or a list of commands, each a list of words: a program by its name or absolute path, "
            "and its arguments"
        ),
    }
    return kinds[constraint.kind]
