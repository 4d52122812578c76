"""Runs in aider's environment: applies answers of a model as aider does, without a model.

A line of standard input is a request {"format", "files", "answer"}, a line of standard output the response
{"success", "text"}. The first line of output says that aider has started. `files`: those in the chat.
"""

import contextlib
import io
import json
import os
import sys

from aider.coders import Coder
from aider.io import InputOutput
from aider.models import Model

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what aider prints goes to the log


def apply(edit_format, files, answer):
    """What aider does after the model's answer: finds the edits in it, and applies them."""
    told = io.StringIO()
    coder = CODERS[edit_format]
    coder.abs_fnames = set(files)
    coder.init_before_message()
    coder.choose_fence()
    opening, closing = coder.fence
    coder.partial_response_content = answer.replace("<FENCE>", opening).replace("</FENCE>", closing)
    coder.multi_response_content = ""
    with contextlib.redirect_stdout(told):
        coder.apply_updates()
    if coder.reflected_message:
        return {"success": False, "text": coder.reflected_message}
    return {"success": "Applied edit to" in told.getvalue(), "text": told.getvalue()}


CONSOLE = InputOutput(pretty=False, yes=True, fancy_input=False)
CODERS = {
    kind: Coder.create(Model("gpt-4o"), kind, CONSOLE, use_git=False, map_tokens=0, auto_lint=False)
    for kind in ("diff", "whole")
}
print("ready", file=ANSWERS, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    response = apply(request["format"], request["files"], request["answer"])
    print(json.dumps(response), file=ANSWERS, flush=True)
