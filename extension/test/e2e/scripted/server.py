"""A server of one trick: `agentfs/batch` proposes several files at once, and does to closed ones what it is told.

It speaks its part of docs/protocol.md#91-review-clients, for reviews of several files. The answer of the batch carries
the settle as it came, so that a test sees what the editor said.
"""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

Message = dict[str, Any]
METHODS = ["agentfs/batch", "agentfs/status"]


def main() -> None:
    root, batch = Path(), {}
    while (message := receive()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        match method:
            case "initialize":
                root = Path(params["rootPath"])
                answer(
                    message,
                    {"capabilities": {"experimental": {"agentfs": {"version": "1", "methods": METHODS}}}},
                )
            case "agentfs/batch":
                batch = {"request": message, "proposal": propose(root, uuid4().hex, params)}
                notify("agentfs/proposed", brief(batch["proposal"]))
                send(
                    {
                        "id": "preview",
                        "method": "workspace/applyEdit",
                        "params": preview(batch["proposal"]),
                    }
                )
            case "agentfs/proposal":
                answer(message, {**batch["proposal"], "state": "shown"})
            case "agentfs/settle":
                landed = settle(root, batch["proposal"], params)
                answer(message, {"ok": True, "apply": None})
                notify("agentfs/settled", {"id": params["id"], "outcome": "landed" if landed else "rejected"})
                status = "success" if landed else "error"
                answer(batch["request"], {"status": status, "data": {}, "settled": params})
            case "exit":
                return
            case _ if "id" in message and method is not None:
                answer(message, None)


def propose(root: Path, ident: str, params: Message) -> Message:
    """The proposal that a batch of writes makes, texts and all."""
    files = []
    for operation in params["operations"]:
        path, text = operation["params"]["path"], operation["params"]["content"]
        there = (root / path).exists()
        base = (root / path).read_text() if there else ""
        files.append(
            {
                "uri": (root / path).as_uri(),
                "path": path,
                "operation": "update" if there else "create",
                "version": None,
                "base_hash": None,
                "lines_added": len(set(text.split("\n")) - set(base.split("\n"))),
                "lines_removed": len(set(base.split("\n")) - set(text.split("\n"))),
                "base_text": base,
                "proposed_text": text,
                "encoding": "utf-8",
                "eol": "lf",
                "warnings": [],
            }
        )
    told = {key: params.get(key, "") for key in ("session", "agent", "explanation")}
    return {"id": ident, "title": f"Change {len(files)} files", "tool": "batch", **told, "files": files}


def brief(proposal: Message) -> Message:
    """What `agentfs/proposed` says of it: everything but the texts."""
    left_out = {"base_text", "proposed_text", "encoding", "eol", "warnings"}
    files = [{key: value for key, value in file.items() if key not in left_out} for file in proposal["files"]]
    return {**proposal, "files": files}


def preview(proposal: Message) -> Message:
    changes = [
        {"textDocument": {"uri": file["uri"], "version": None}, "edits": []} for file in proposal["files"]
    ]
    annotation = {"label": proposal["title"], "needsConfirmation": True}
    return {"edit": {"documentChanges": changes, "changeAnnotations": {proposal["id"]: annotation}}}


def settle(root: Path, proposal: Message, params: Message) -> bool:
    """Write what was accepted; whether anything was. What is said of a file goes before what is said of all."""
    said = {file["uri"]: file for file in params.get("files", [])}
    landed = False
    for file in proposal["files"]:
        own = said.get(file["uri"], {})
        if own.get("decision", params["decision"]) != "rejected":
            path = root / file["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(own.get("text", file["proposed_text"]))
            landed = True
    return landed


def receive() -> Message | None:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()) or not length:
        if not line:
            return None
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length))


def send(message: Message) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def answer(request: Message, result: object) -> None:
    send({"id": request["id"], "result": result})


def notify(method: str, params: Message) -> None:
    send({"method": method, "params": params})


main()
