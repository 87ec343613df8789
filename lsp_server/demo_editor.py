"""The demo's editor: a person who types, at a small editor that speaks LSP with a real ``coeditor serve``.

Never: anything that Coeditor does; it only keeps a buffer, as every editor does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from editor_clients.lines import LineIndex, apply_replacements
from editor_clients.port import Replacement

_PATIENCE = 30.0


class DemoEditor:
    """One window with one open document."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lsp_server", "serve"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._answers: Queue[dict[str, Any]] = Queue()
        self._sending = threading.Lock()
        self._editing = threading.Lock()
        self._next = 0
        self._undo: list[str] = []
        self.uri = ""
        self.version = 0
        self.text = ""
        threading.Thread(target=self._listen, daemon=True).start()
        root = folder.as_uri()
        self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": folder.name}],
                "capabilities": {
                    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}
                },
            },
        )
        self._send({"method": "initialized", "params": {}})

    def open(self, path: Path) -> None:
        """Show a file."""
        self.uri, self.version, self.text = path.as_uri(), 1, path.read_text(encoding="utf-8")
        document = {"uri": self.uri, "languageId": "python", "version": 1, "text": self.text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def type(self, before: str, typed: str) -> None:
        """Type ``typed`` in front of the text ``before``; nothing is saved."""
        with self._editing:
            at = self.text.index(before)
            self._change(self.text[:at] + typed + self.text[at:])

    def undo(self) -> None:
        """One step back."""
        with self._editing:
            self._change(self._undo.pop(), remember=False)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result, asked for as the editor may: by an LSP request."""
        answer = self._request(f"coeditor/{tool}", arguments)
        found: dict[str, Any] = answer.get("result") or answer["error"]["data"]
        return found

    def close(self) -> None:
        """Close the window."""
        if self._process.poll() is None:
            self._request("shutdown", None)
            self._send({"method": "exit"})
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=_PATIENCE)

    def _change(self, text: str, *, remember: bool = True) -> None:
        if remember:
            self._undo.append(self.text)
        self.text = text
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        changes = [{"text": text}]
        self._send(
            {
                "method": "textDocument/didChange",
                "params": {"textDocument": document, "contentChanges": changes},
            }
        )

    def _apply(self, params: dict[str, Any]) -> dict[str, Any]:
        """A workspace edit, as every editor takes it: only at the version that it was made for."""
        with self._editing:
            (change,) = params["edit"]["documentChanges"]
            wanted = change["textDocument"]
            if wanted["uri"] != self.uri or wanted["version"] != self.version:
                return {"applied": False}
            index = LineIndex(self.text)
            parts = []
            for edit in change["edits"]:
                ends = [index.offset_at(end["line"], end["character"]) for end in edit["range"].values()]
                parts.append(Replacement(min(ends), max(ends), edit["newText"]))
            parts.sort(key=lambda part: part.start)
            self._change(apply_replacements(self.text, parts))
            return {"applied": True}

    def _request(self, method: str, params: Any) -> dict[str, Any]:
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        try:
            return self._answers.get(timeout=_PATIENCE)
        except Empty:
            raise TimeoutError(f"coeditor serve did not answer {method}") from None

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        with self._sending:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while header := stream.readline():
            if not header.lower().startswith(b"content-length:"):
                continue
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(int(header.split(b":")[1])))
            if "method" not in message:
                self._answers.put(message)
            elif "id" in message:
                applied = message["method"] == "workspace/applyEdit"
                self._send(
                    {"id": message["id"], "result": self._apply(message["params"]) if applied else None}
                )
        stream.close()
