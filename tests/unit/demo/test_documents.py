"""Open documents stay in sync with the server, in any unit of columns."""

import pytest


def at(line: int, start: int, end: int, text: str) -> dict[str, object]:
    return {
        "range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}},
        "newText": text,
    }


@pytest.mark.parametrize(("units", "column"), [("utf-16", 2), ("utf-32", 1)])
def test_columns_count_in_the_servers_units(client, tmp_path, units, column) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("x\r\n😀b\r\n".encode())
    with client([]) as demo:
        documents = demo.editor.documents
        documents.units = units
        uri = documents.open(file)
        edit = {"uri": uri, "version": 1}
        documents.apply(
            {"documentChanges": [{"textDocument": edit, "edits": [at(1, column, column + 1, "c")]}]}
        )
        assert documents.get(uri).text == "x\r\n😀c\r\n"
        documents.type(uri, "c", "d")
    change = demo.params_of("textDocument/didChange")[-1]
    assert change["textDocument"]["version"] == 3
    assert change["contentChanges"][0]["range"]["start"] == {"line": 1, "character": column}


def test_several_edits_are_told_last_first(client, tmp_path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"one\ntwo\n")
    with client([]) as demo:
        uri = demo.editor.documents.open(file)
        edits = [at(1, 0, 3, "2"), at(0, 0, 3, "1\n1")]
        demo.editor.documents.apply(
            {"documentChanges": [{"textDocument": {"uri": uri, "version": 1}, "edits": edits}]}
        )
        assert demo.editor.documents.get(uri).text == "1\n1\n2\n"
    (change,) = demo.params_of("textDocument/didChange")
    assert [piece["text"] for piece in change["contentChanges"]] == ["2", "1\n1"]


def test_saved_or_not_is_told_as_it_changes(client, tmp_path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"one\n")
    with client([]) as demo:
        uri = demo.editor.documents.open(file)
        demo.editor.documents.type(uri, "one", "two")
        demo.editor.documents.save(uri)
        demo.editor.documents.close(uri)
        assert demo.editor.documents.get(uri) is None
    assert [state["dirty"] for state in demo.params_of("agentfs/documentState")] == [True, False]
    assert file.read_bytes() == b"two\n"


def test_one_stale_document_keeps_all_as_they_are(client, tmp_path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"one\n")
    with client([]) as demo:
        first, second = (demo.editor.documents.open(tmp_path / name) for name in ("a.txt", "b.txt"))
        changes = [
            {"textDocument": {"uri": first, "version": 1}, "edits": [at(0, 0, 3, "two")]},
            {"textDocument": {"uri": second, "version": 4}, "edits": [at(0, 0, 3, "two")]},
        ]
        refusal = demo.editor.documents.apply({"documentChanges": changes})
        assert refusal == "The document is at version 1, not 4."
        assert demo.editor.documents.get(first).text == "one\n"
