"""Generated methods are compiled once (adapters/generated_code.py)."""

import dataclasses
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attr._make
import attrs
import pytest

from agentfs_lsp.adapters import generated_code
from agentfs_lsp.adapters.generated_code import cached_generated_code


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "made" / "kept"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources compiled because they were not cached."""
    texts: list[str] = []

    def counted(text: str, *rest: Any, **options: Any) -> Any:
        texts.append(text)
        return compile(text, *rest, **options)

    monkeypatch.setattr(generated_code, "compile", counted, raising=False)
    return texts


def classes() -> tuple[type[Any], type[Any]]:
    @attrs.define
    class Range:
        start: int
        end: int = 7

    @dataclasses.dataclass(frozen=True, slots=True)
    class Splice:
        start: int
        text: str = ""

    return Range, Splice


def made_with(kept: Path) -> tuple[type[Any], type[Any]]:
    with cached_generated_code(str(kept)):
        return classes()


def test_the_second_start_compiles_nothing(kept: Path, compilations: list[str]) -> None:
    for compiled in (True, False):
        compilations.clear()
        made, sliced = made_with(kept)
        assert bool(compilations) is compiled
        assert made(1) == made(1, 7) != made(2)
        assert repr(made(1)) == "Range(start=1, end=7)"
        assert sliced(3, "a") == sliced(3, "a")
        with pytest.raises(dataclasses.FrozenInstanceError):
            sliced(3).start = 4
    assert os.listdir(kept.parent) == [kept.name]


def test_the_classes_are_what_they_are_without_it(kept: Path) -> None:
    plain = classes()
    for _ in range(2):
        made = made_with(kept)
        for one, other in zip(made, plain, strict=True):
            assert inspect.signature(one) == inspect.signature(other)
            assert one.__init__.__annotations__ == other.__init__.__annotations__  # type: ignore[misc]
            assert one.__init__.__code__ == other.__init__.__code__  # type: ignore[misc]


def test_another_text_is_never_served_the_kept_code(kept: Path) -> None:
    made_with(kept)
    with cached_generated_code(str(kept)):

        @attrs.define
        class Range:
            start: int
            end: int = 8
            more: int = 9

    assert (Range(1).end, Range(1).more) == (8, 9)


@pytest.mark.parametrize("spoil", [b"", b"x", b"\0" * 4096])
def test_a_damaged_file_is_written_anew(kept: Path, compilations: list[str], spoil: bytes) -> None:
    made_with(kept)
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] + spoil)
    assert made_with(kept)[0](1).end == 7
    compilations.clear()
    made_with(kept)
    assert not compilations


def test_nothing_is_written_if_python_writes_no_bytecode(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert made_with(kept)[0](1).end == 7
    assert not kept.parent.exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_passed_over(kept: Path, make: Callable[[Path], object]) -> None:
    kept.parent.mkdir()
    make(kept)
    assert made_with(kept)[0](1).end == 7


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(kept: Path) -> None:
    kept.parent.write_text("a file where the folder would be")
    assert made_with(kept)[0](1).end == 7


def test_the_libraries_are_left_as_they_were(kept: Path) -> None:
    with cached_generated_code(str(kept)):
        assert "compile" in vars(attr._make)
        assert "exec" in vars(dataclasses)
    failing = cached_generated_code(str(kept))
    failing.__enter__()
    assert not failing.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert "compile" not in vars(attr._make)
    assert "exec" not in vars(dataclasses)
