"""Nonsense on an editor's pipe: the framing of LSP, and messages whose params are not those of LSP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from lsp_server.handlers.methods import TOLD_BY_EDITOR
from lsp_server.handlers.protocol import EditorServer
from lsp_server.handlers.serving import EditorConnection
from lsp_server.handlers.transport import pump
from tests.fuzz.nonsense import BROKEN_LINES, FEWER, ODD, ODD_TEXT, line_of, objects

DOCUMENT = objects(uri=ODD_TEXT, version=st.integers(), text=ODD_TEXT, languageId=ODD_TEXT)
PARAMS = (
    objects(
        textDocument=DOCUMENT,
        notebookDocument=DOCUMENT,
        contentChanges=ODD,
        change=ODD,
        text=ODD_TEXT,
        uri=ODD_TEXT,
        file_path=ODD_TEXT,
        event=ODD,
        diagnostics=ODD,
    )
    | ODD
)
NOTIFICATIONS = [
    *("textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose"),
    *("notebookDocument/didOpen", "notebookDocument/didChange", "workspace/didChangeWorkspaceFolders"),
    *("workspace/didChangeWatchedFiles", "$/cancelRequest", "$/setTrace", "initialized", *TOLD_BY_EDITOR),
]
METHODS = (
    st.sampled_from([*NOTIFICATIONS, "textDocument/codeLens", "workspace/executeCommand", "shutdown"])
    | ODD_TEXT
)


class Editor:
    """What the server wrote."""

    def __init__(self) -> None:
        self.data = b""
        self._wrote = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.data += data
        self._wrote.set()

    async def news(self) -> None:
        """Return when more was written."""
        await self._wrote.wait()
        self._wrote.clear()

    def close(self) -> None: ...

    def messages(self) -> list[dict[str, Any]]:
        found = []
        rest = self.data
        while rest:
            head, _, rest = rest.partition(b"\r\n\r\n")
            length = next(
                int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
            )
            found.append(json.loads(rest[:length]))
            rest = rest[length:]
        return found


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def pumped(data: bytes, asked: Sequence[int] = ()) -> list[dict[str, Any]]:
    """All that the server says to ``data`` and the end of the pipe, once what was ``asked`` is answered."""
    server, editor = EditorServer("0"), Editor()
    connection = EditorConnection(server, "/nowhere")
    connection.register()
    server.protocol.set_writer(editor)
    reader = asyncio.StreamReader(limit=1 << 20)
    reader.feed_data(data)
    reader.feed_eof()
    async with asyncio.timeout(60):
        await pump(reader, server)
        while not set(asked) <= set(answered(editor.messages())):
            await editor.news()
        await connection.close()
    return editor.messages()


def answered(messages: Sequence[dict[str, Any]]) -> list[int]:
    """The ids of requests."""
    return sorted(one["id"] for one in messages if "id" in one and "method" not in one)


HEADERS = st.sampled_from(
    [
        *(
            b"Content-Length: 2\r\n\r\n{}",
            b"Content-Length: -1\r\n\r\n",
            b"Content-Length: 99999999999\r\n\r\n",
            b"\r\n\r\n",
        ),
        *(
            b"Content-Length: x\r\n\r\n",
            b"content-length:4\n\nnull",
            b"A: " + b"a" * 10_000,
            b"Content-Length: 2\r\n",
        ),
        *(
            "Content-Length: ²\r\n\r\n".encode(),
            b"Content-Length: 0\r\n\r\n",
            b"Content-Length: 2\r\nContent-Length: 4\r\n\r\n",
        ),
    ]
)


@FEWER
@given(st.lists(HEADERS | st.binary(max_size=40) | BROKEN_LINES.map(framed), max_size=8))
def test_no_bytes_on_the_pipe_are_more_than_a_hangup(parts: list[bytes]) -> None:
    for answer in asyncio.run(pumped(b"".join(parts))):
        assert answer["jsonrpc"] == "2.0"


@FEWER
@given(st.lists(st.tuples(METHODS, PARAMS, st.booleans()), max_size=6))
@example(
    [
        ("shutdown", None, True),
        ("textDocument/codeLens", {}, True),
        ("main", None, True),
        ("shutdown", None, True),
    ]
)
@example([("shutdown", None, True), ("coeditor/status", {}, True), ("textDocument/didOpen", {}, False)])
def test_each_request_has_one_answer_whatever_its_params_are(messages: list[tuple[str, Any, bool]]) -> None:
    data, asked = b"", []
    for number, (method, params, is_request) in enumerate(messages, start=1):
        if method in ("exit", "shutdown", "initialize") and not is_request:
            continue
        is_request = is_request and method != "initialized"  # what it begins ends with the connection
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request:
            message["id"] = number
            asked.append(number)
        data += framed(line_of(message))
    assert answered(asyncio.run(pumped(data, asked))) == asked
