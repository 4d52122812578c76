"""Caches the bytecode of the methods that attrs and dataclasses generate
(docs/adr/0011-generated-code-is-compiled-once.md).

Python caches the bytecode of modules, but not of source that they compile at run time. About 550 LSP
classes and 180 of our own were compiled at every start, which took half of the time until the response to
`initialize`. The cache is in `__pycache__`, like a module's bytecode, and follows the same rules. An entry
is used only for exactly the same source, so it is never out of date.
"""

from __future__ import annotations
import __future__

import builtins
import dataclasses
import marshal
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import MAGIC_NUMBER, cache_from_source
from types import CodeType, ModuleType
from typing import Any

Key = tuple[str, str, int]
"""The source text, its file name, and the compiler's flags."""

_MAX_BYTES = 64 * 1024 * 1024


@contextmanager
def cached_generated_code(path: str | None = None) -> Iterator[None]:
    """Imports inside the context compile no generated method that an earlier start has compiled.

    `path` is the cache file, by default next to this module's bytecode. If it can't be read or written, that
    only costs time."""
    path = _beside_bytecode() if path is None else path
    kept = _read(path)
    used: dict[Key, CodeType] = {}

    def compiled(text: str, name: str, flags: int) -> CodeType:
        key = text, name, flags
        code = kept.get(key)
        if code is None:
            code = compile(text, name, "exec", flags, dont_inherit=True)
        used[key] = code
        return code

    with _seam_of_attrs(compiled), _seam_of_dataclasses(compiled):
        yield
    if not sys.dont_write_bytecode and not used.keys() <= kept.keys():
        _write(path, used)


@contextmanager
def _seam_of_attrs(compiled: Any) -> Iterator[None]:
    try:
        module = import_module("attr._make")
    except ImportError:
        yield
        return
    flags = _flags(module)

    def compile_once(text: Any, name: str, mode: str, *more: Any, **options: Any) -> Any:
        if mode != "exec" or more or options or not isinstance(text, str):
            return compile(text, name, mode, *more, **options)
        return compiled(text, name, flags)

    with _before_builtin(module, "compile", compile_once):
        yield


@contextmanager
def _seam_of_dataclasses(compiled: Any) -> Iterator[None]:
    flags = _flags(dataclasses)

    def exec_once(text: Any, names: dict[str, Any], own: Any = None, /, **options: Any) -> None:
        code = compiled(text, "<string>", flags) if isinstance(text, str) else text
        builtins.exec(code, names, own, **options)  # noqa: S102 - what dataclasses itself does here

    with _before_builtin(dataclasses, "exec", exec_once):
        yield


@contextmanager
def _before_builtin(module: ModuleType, name: str, function: object) -> Iterator[None]:
    """Shadow a builtin in a module, which looks up names among its own first."""
    setattr(module, name, function)
    try:
        yield
    finally:
        delattr(module, name)


def _flags(module: ModuleType) -> int:
    """The flags that the module's calls of `compile` inherit from its `from __future__ import`."""
    features = [getattr(__future__, name) for name in __future__.all_feature_names]
    return sum(it.compiler_flag for it in features if any(value is it for value in vars(module).values()))


def _beside_bytecode() -> str:
    try:
        return cache_from_source(__file__.removesuffix(".py") + ".kept.py").removesuffix(".pyc")
    except NotImplementedError:  # this Python caches no bytecode
        return ""


def _read(path: str) -> dict[Key, CodeType]:
    """The cached code; empty if the file is damaged or another Python's."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # the path may lead to anything by now
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            content = file.read() if stat.S_ISREG(found.st_mode) and found.st_size <= _MAX_BYTES else b""
    except OSError:
        return {}
    header, body = content[:8], content[8:]
    # As trustworthy as the modules' own bytecode, which Python reads from the same folder in the same way.
    return marshal.loads(body) if header == _header(body) else {}  # noqa: S302


def _write(path: str, codes: dict[Key, CodeType]) -> None:
    body = marshal.dumps(codes)
    temporary = f"{path}.{os.getpid()}"
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(temporary, "xb") as file:
                file.write(_header(body) + body)
            os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _header(body: bytes) -> bytes:
    return MAGIC_NUMBER + zlib.crc32(body).to_bytes(4, "little")
