"""Any string is parsed as a path inside a root, or refused with a path error."""

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.paths import PathMode, Spelling, display, parse

FOLDERS = {"/w/app": 0, "/w/lib": 1}
paths = st.text(
    st.one_of(st.sampled_from("/.:%\\ ~"), st.sampled_from("applibwfe"), st.characters()), max_size=30
)
modes: st.SearchStrategy[PathMode] = st.sampled_from(("relative", "any"))
parts = st.lists(
    st.text(
        st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="/\\"), min_size=1, max_size=6
    ).filter(lambda part: part != "."),
    min_size=1,
    max_size=4,
)


@given(paths, st.sampled_from(((), ("app",), ("app", "lib"))), modes)
def test_any_text_is_read_or_refused(path: str, names: tuple[str, ...], mode: PathMode) -> None:
    try:
        spelling = parse(path, names, mode, {folder: at for folder, at in FOLDERS.items() if at < len(names)})
    except DomainError:
        return
    assert 0 <= spelling.root < len(names)
    assert all(part not in {"", "."} for part in spelling.relative.split("/"))
    shown = display(names[spelling.root], spelling.relative, several_roots=len(names) > 1)
    assert parse(f"./{shown}", names, mode, FOLDERS) == spelling


@given(parts, st.sampled_from((0, 1)))
def test_every_way_to_give_a_path_leads_to_the_same_file(parts: list[str], root: int) -> None:
    relative = "/".join(parts)
    name, folder = ("app", "/w/app") if root == 0 else ("lib", "/w/lib")
    uri = f"file://{quote(f'{folder}/{relative}')}"
    for path in (f"{name}/{relative}", f".//{name}/./{relative}", f"{folder}/{relative}", uri):
        assert parse(path, ("app", "lib"), "any", FOLDERS) == Spelling(root, relative)
