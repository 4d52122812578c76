"""The terminal reviewer needs textual, which is optional."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("textual") else ["test_app.py", "test_screens.py"]
