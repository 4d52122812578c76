"""On the PYTHONPATH of a process, hides agentfs' optional packages."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

NOT_INSTALLED = {"msgspec"}


class Missing(MetaPathFinder):
    """Reports some packages as not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in NOT_INSTALLED:
            raise ModuleNotFoundError(fullname, name=fullname)
        return None


sys.meta_path.insert(0, Missing())
