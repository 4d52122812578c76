"""The text of a response about several files that landed (docs/protocol.md#10-agentfsbatch,
docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentfs_lsp.api.results import Review
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.change import Landing

_NAMED = 5
"""The number of files to name."""


def files_text(paths: Sequence[str], translate: Translate) -> str:
    """The names of the files, or their number."""
    if len(paths) > _NAMED:
        return translate("{count} files", count=len(paths))
    return ", ".join(f"'{escape_to_one_line(path)}'" for path in paths)


def folders_left_text(paths: Sequence[str], translate: Translate) -> str:
    """Says which folders an undo could not remove; "" for none."""
    shown = ", ".join(f"'{escape_to_one_line(path)}'" for path in paths[:_NAMED])
    if len(paths) > _NAMED:
        shown += ", …"
    return translate("These directories could not be removed: {paths}", paths=shown) if paths else ""


def created_folder(landing: Landing) -> str:
    """The innermost folder that was created for the file, as in responses; empty if none was."""
    if not landing.created_dirs:
        return ""
    root = landing.change.path.removesuffix(landing.change.base.location.relative)
    return root + max(landing.created_dirs, key=len)


def _with_old_names(landings: Sequence[Landing]) -> list[str]:
    """The files with other names that keep the old content: names that have landed, too, do not."""
    replaced = [
        (landing, (blob.stat.device, blob.stat.inode))
        for landing in landings
        if (blob := landing.change.base.blob) is not None and landing.where == "disk"
    ]
    landed = Counter(file for _, file in replaced)
    return [landing.change.path for landing, file in replaced if landing.hard_links >= landed[file]]


def hidden_amendments(review: Review | None, translate: Translate) -> str:
    """Says that the user made amendments, if the session may not see them; else ""."""
    hidden = review is not None and review["decision"] == "amended" and "amendments" not in review
    return translate("The user made amendments, which are not reported.") if hidden else ""


def landed_texts(
    landings: Sequence[Landing], unsaved: Sequence[str], review: Review | None, translate: Translate
) -> list[str]:
    """Texts about the outcome in addition to the changes. `unsaved`: the paths of files that are as requested
    only in the editor, `review`: the response's."""
    said = [hidden_amendments(review, translate)]
    if unsaved:
        said.append(
            translate(
                "{files} is changed in the editor but not on disk. The user must save it.",
                plural="{files} are changed in the editor but not on disk. The user must save them.",
                files=files_text(unsaved, translate),
                count=len(unsaved),
            )
        )
    if review is not None and "amendments" in review:
        said.append(translate("The user accepted some of it with amendments. See review.amendments."))
    if folders := [folder for folder in map(created_folder, landings) if folder]:
        shown = ", ".join(f"{escape_to_one_line(folder)}/" for folder in folders[:_NAMED])
        if len(folders) > _NAMED:
            shown += ", …"
        said.append(
            translate(
                "(Created directory: {path})",
                plural="(Created directories: {path})",
                path=shown,
                count=len(folders),
            )
        )
    if linked := _with_old_names(landings):
        files = files_text(linked, translate)
        said.append(translate("Other names (hard links) of {files} keep the old content.", files=files))
    if lost := [landing.change.path for landing in landings if landing.owner_lost]:
        said.append(
            translate(
                "The owner or group of {files} could not be kept, so others may have lost access.",
                files=files_text(lost, translate),
            )
        )
    if review is not None and "on_save" in review:
        said.append(translate("Some of it was saved with other changes. See review.on_save."))
    return said
