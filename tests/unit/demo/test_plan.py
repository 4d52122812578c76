"""There is something to do in the sample and in any project with a text file."""

from dataclasses import fields

import pytest

from agentfs_lsp.demo.copying import SAMPLE as SAMPLE_FOLDER
from agentfs_lsp.demo.plan import Edit, NothingToEditError, Plan, plan_for, sample_plan
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.translation import english


def edits_of(plan: Plan) -> list[Edit]:
    values = (getattr(plan, field.name) for field in fields(plan))
    return [value for value in values if isinstance(value, Edit)]


def text_of(path) -> str:
    data = path.read_bytes()
    try:
        return normalize(data.decode("utf-8"))
    except UnicodeDecodeError:
        return normalize(data.decode("latin-1"))


@pytest.mark.parametrize("edit", edits_of(sample_plan(english)), ids=lambda edit: edit.path)
def test_each_edit_of_the_sample_has_one_place(edit) -> None:
    assert text_of(SAMPLE_FOLDER / edit.path).count(edit.old) == 1


def test_the_sample_has_the_kinds_of_files_that_other_tools_spoil() -> None:
    assert (SAMPLE_FOLDER / "data/gauges.csv").read_bytes().count(b"\r\n") == 5
    with pytest.raises(UnicodeDecodeError):
        (SAMPLE_FOLDER / "notes/pegel.txt").read_bytes().decode("utf-8")
    assert not (SAMPLE_FOLDER / sample_plan(english).created.path).exists()


def test_a_project_is_edited_at_the_ends_of_its_text_files(tmp_path) -> None:
    (tmp_path / "main.py").write_bytes(b"import this\r\nprint('hello, world')\r\n")
    (tmp_path / "blob.py").write_bytes(b"\xff\xfe\x00\x00 no text at all")
    (tmp_path / "picture.png").write_bytes(b"not a kind that is edited")
    (tmp_path / ".hidden.md").write_bytes(b"not looked at, being hidden\n")
    (tmp_path / "README.md").write_bytes(b"# A readme of some length\n")
    plan = plan_for(tmp_path, english)
    assert {edit.path for edit in edits_of(plan)} == {"main.py", "README.md"}
    python = next(edit for edit in edits_of(plan) if edit.path == "main.py")
    assert python.old == "print('hello, world')"
    assert python.new.startswith("print('hello, world')\n# ")


def test_one_file_is_enough_and_every_edit_differs(tmp_path) -> None:
    (tmp_path / "a.toml").write_bytes(b"key = 'value'")
    edits = edits_of(plan_for(tmp_path, english))
    assert len({edit.new for edit in edits}) == len(edits) == 9


def test_a_last_line_that_is_there_twice_is_taken_with_those_above(tmp_path) -> None:
    (tmp_path / "a.js").write_bytes(
        b"function a() {\n  return twice();\n}\nfunction b() {\n  return twice();\n}\n"
    )
    assert plan_for(tmp_path, english).first.old == "function b() {\n  return twice();\n}"


def test_a_file_that_is_there_is_not_created(tmp_path) -> None:
    (tmp_path / "agentfs-demo.md").write_bytes(b"# Remarks of an earlier demo\n")
    assert plan_for(tmp_path, english).created.path == "agentfs-demo-2.md"


@pytest.mark.parametrize("data", [b"", b"short\n", b"line ends\r\nof two kinds\n", b"\xff" * 40])
def test_nothing_to_edit_is_said(tmp_path, data) -> None:
    (tmp_path / "a.py").write_bytes(data)
    with pytest.raises(NothingToEditError):
        plan_for(tmp_path, english)
