"""Finds what a configuration of git names that git runs or reads as configuration: hooks, commands, includes
(docs/configuration.md#what-is-always-protected).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_COMMANDS = frozenset(
    {
        *("alternaterefscommand", "askpass", "cccmd", "clean", "cmd", "command", "defaultkeycommand"),
        *("difffilter", "driver", "editor", "external", "fsmonitor", "gitproxy", "headercmd", "helper"),
        *("packobjectshook", "pager", "process", "program", "receivepack", "recentobjectshook"),
        *("sendmailcmd", "smtpserver", "smudge", "sshcommand", "textconv", "tocmd", "tunnel", "uploadpack"),
    }
)
"""The last parts of the names, such as `core.fsmonitor` and `filter.<name>.clean`."""

_PROGRAMS = frozenset({"browser", "difftool", "lfs", "man", "mergetool"})
"""The sections in which `path` is that of a program."""

_INCLUDES = frozenset({"include", "includeif"})
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_PART = re.compile(r'"((?:[^"\\]|\\.)*)"?|((?:[^"#;\\]|\\.)+)|[#;].*')
_WORD = re.compile(r"""[^\s"'`;|&()<>=!]+""")


class GitSetting(NamedTuple):
    """`name`: such as `core.hooksPath`; `kind`: what is at its `paths`. Relative ones start at the folder of
    the configuration for `include`, else at the top of the work tree."""

    name: str
    kind: Literal["hooks", "include", "file"]
    paths: tuple[str, ...]


def settings_with_files(text: str) -> Iterator[GitSetting]:
    """The settings that name such files. Of a command, every word counts as one."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    yield from _settings_of(text)
    if "\\\n" in text:  # which continues a value, but no comment
        yield from _settings_of(text.replace("\\\n", ""))


def _settings_of(text: str) -> Iterator[GitSetting]:
    section = ""
    for line in text.split("\n"):
        found = _SECTION.match(line)
        if found:
            section = found[1]
        name, _, value = line[found.end() if found else 0 :].partition("=")
        name, value = name.strip(), _unquoted(value)
        full, key, group = f"{section}.{name}", name.lower(), section.partition(".")[0].lower()
        if not value:
            continue
        if key == "hookspath":
            yield GitSetting(full, "hooks", (value,))
        elif key == "path" and group in _INCLUDES:
            yield GitSetting(full, "include", (value,))
        elif key == "attributesfile":
            yield GitSetting(full, "file", (value,))
        elif (
            key in _COMMANDS
            or group == "pager"
            or (key == "path" and group in _PROGRAMS)
            or value.startswith(("!", "ext::"))
        ):
            yield GitSetting(full, "file", tuple(_WORD.findall(value.removeprefix("ext::"))))


def _unquoted(value: str) -> str:
    parts = (found[1] or found[2] or "" for found in _PART.finditer(value))
    return re.sub(r"\\(.)", r"\1", "".join(parts)).strip()
