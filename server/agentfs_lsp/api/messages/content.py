"""Errors about a file's content or a change of it (docs/protocol.md#5-agentfsread to #7-agentfsedit)."""

from __future__ import annotations

from typing import Any

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate, nothing_changed


def binary_file(error: errors.BinaryFile, translate: Translate) -> ErrorText:
    said = translate("'{path}' is a binary file.", path=shown(error.path))
    return said, translate("It cannot be read or changed as text.")


def nul_put_in(error: errors.NulPutIn, translate: Translate) -> ErrorText:
    said = translate(
        "Line {line} of the new text of '{path}' contains a NUL character, which is not allowed in text.",
        line=error.line,
        path=shown(error.path),
    )
    return said, nothing_changed(translate, translate("Remove the character."))


def too_large(error: errors.TooLarge, translate: Translate) -> ErrorText:
    said = translate(
        "'{path}' is too large: {size} bytes. The limit is {limit} bytes.",
        path=shown(error.path),
        size=error.size,
        limit=error.limit,
    )
    return said, translate("Read a part of it with start_line and limit.")


def result_too_large(error: errors.ResultTooLarge, translate: Translate) -> ErrorText:
    said = translate(
        "The change would make '{path}' too large: {size} bytes. The limit is {limit} bytes.",
        path=shown(error.path),
        size=error.size,
        limit=error.limit,
    )
    return said, translate(
        "Split the text into several files, or ask the user to raise agentfs.limits.max_file_bytes."
    )


def bad_range(error: errors.BadRange, translate: Translate) -> ErrorText:
    said = translate(
        "start_line {line} is past the end: the file has one line.",
        plural="start_line {line} is past the end: the file has {count} lines.",
        count=error.total_lines,
        line=error.start_line,
    )
    return said, ""


def unencodable(error: errors.Unencodable, translate: Translate) -> ErrorText:
    character = error.character
    facts: dict[str, Any] = {"character": shown(character), "code": ord(character), "line": error.line}
    if error.ascii_only:
        said = translate(
            "The file's encoding is not known, so the new text must be ASCII. Line {line} contains "
            "'{character}' (U+{code:04X}).",
            **facts,
        )
        return said, translate("Use ASCII characters. The other bytes stay unchanged.")
    said = translate(
        "The file's encoding {encoding} cannot represent '{character}' (U+{code:04X}) in line "
        "{line} of the new text.",
        encoding=shown(error.encoding),
        **facts,
    )
    return said, translate("Use other characters. The file keeps its encoding.")


def lossy_replace(error: errors.LossyReplace, translate: Translate) -> ErrorText:
    said = translate("Some bytes of '{path}' are not text in a known encoding.", path=shown(error.path))
    return said, translate(
        "Use {Edit} to change parts of it. To replace the whole file, pass the hash "
        "from {Read} as expected_hash."
    )


def bytes_joined(error: errors.BytesJoined, translate: Translate) -> ErrorText:
    said = translate(
        "With this change, bytes of '{path}' that are not ASCII would read as other characters.",
        path=shown(error.path),
    )
    return said, translate("Keep the text before these bytes.")


def empty_content(_: errors.EmptyContent, translate: Translate) -> ErrorText:
    return translate("Content cannot be empty."), translate(
        "Set allow_empty=true if the file is meant to be empty."
    )


def text_left_out(error: errors.TextLeftOut, translate: Translate) -> ErrorText:
    said = translate(
        "Line {line} is a placeholder for omitted text: '{marker}'.",
        line=error.line,
        marker=escape_invisible(error.marker),
    )
    return said, translate("Write the complete text, or use {Edit} to change only a part.")


def empty_old_string(_: errors.EmptyOldString, translate: Translate) -> ErrorText:
    return translate("{old_string} cannot be empty."), translate(
        "Give the text to replace, or use {Write} for a new file."
    )


def nothing_changes(_: errors.NothingChanges, translate: Translate) -> ErrorText:
    return translate("Nothing would change: the new text equals the old text."), ""


def no_match(error: errors.NoMatch, translate: Translate) -> ErrorText:
    causes = {
        "typography": translate(
            "Only typographic characters differ, such as quotes or dashes. In so long a text, they must "
            "match exactly."
        ),
        "line_numbers": translate(
            "{old_string} contains line numbers that are not in the file. Remove them."
        ),
        "over_escaped": translate("{old_string} is escaped once too often."),
        "letter_case": translate("The letter case differs."),
        "drifted": translate("A part of it differs from the file."),
    }
    parts = [causes[error.cause]] if error.cause else []
    if error.detail:
        parts.append(escape_invisible(error.detail))
    for near in error.near:
        lines = "\n".join(
            f"{near.line + at:4d} | {escape_invisible(line)}" for at, line in enumerate(near.text)
        )
        parts.append(translate("Closest lines in the file:\n{lines}", lines=lines))
    if not parts:
        parts.append(translate("Read the file again and copy the text to replace exactly."))
    return translate("{old_string} was not found."), "\n".join(parts)


def several_matches(error: errors.SeveralMatches, translate: Translate) -> ErrorText:
    said = translate("{old_string} was found {count} times.", count=error.count)
    return said, translate(
        "Lines: {lines}. Add context to make it unique, or set replace_all or expected_count.",
        lines=lines_text(error.lines, error.count),
    )


def count_mismatch(error: errors.CountMismatch, translate: Translate) -> ErrorText:
    said = translate(
        "{old_string} was found once, not {expected} times.",
        plural="{old_string} was found {count} times, not {expected}.",
        count=error.count,
        expected=error.expected,
    )
    return said, translate("Lines: {lines}.", lines=lines_text(error.lines, error.count))


def too_many_matches(error: errors.TooManyMatches, translate: Translate) -> ErrorText:
    return (
        translate("{old_string} was found more than {most} times.", most=f"{error.most:,}"),
        translate("Add context so that fewer places match, or write the whole file."),
    )


def overlapping_matches(error: errors.OverlappingMatches, translate: Translate) -> ErrorText:
    return (
        translate("{old_string} was found at {count} overlapping places.", count=error.count),
        translate("Lines: {lines}. Replace them one by one.", lines=lines_text(error.lines, error.count)),
    )


def lines_text(lines: tuple[int, ...], count: int) -> str:
    """The line numbers of `count` matches, with "…" for omitted ones."""
    return ", ".join(map(str, lines)) + (", …" if count > len(lines) else "")
