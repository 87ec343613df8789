"""Our own pipes for pygls: its read loop answers some broken messages never, and its writer blocks the process.

Never: the meaning of a message.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from typing import Any

import orjson

from lsp_server.handlers.protocol import EditorServer

log = logging.getLogger(__name__)

_LARGEST = 512 << 20
"""Bytes of one message; a didOpen of the largest file, escaped, fits."""
_HEADER = 8 << 10
_FLUSH = 2.0
"""Seconds at the end for an editor to read what was written."""


class Hangup(Exception):  # noqa: N818
    """The editor's end is closed, or what came from it is no LSP."""


async def serve_pipes(server: EditorServer) -> None:
    """Speak with the editor over standard input and output until one of them is lost or it says ``exit``."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    # From here on the transports own the pipes: closed under them, the loop would trip over them.
    source, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), _unbuffered(0))
    transport, flow = await loop.connect_write_pipe(_Flow, _unbuffered(1))
    server.protocol.set_writer(_Writer(asyncio.StreamWriter(transport, flow, None, loop)))
    pumping = asyncio.create_task(pump(reader, server))
    deaf = asyncio.create_task(flow.lost.wait())
    try:
        await asyncio.wait((pumping, deaf), return_when=asyncio.FIRST_COMPLETED)
        if not pumping.done():
            log.info("the editor hung up: it reads no more")
        else:
            pumping.result()
    finally:
        pumping.cancel()
        deaf.cancel()
        server.hang_up()
        source.close()
        transport.close()
        try:
            async with asyncio.timeout(_FLUSH):
                await flow.lost.wait()
        except TimeoutError:
            transport.abort()


async def pump(reader: asyncio.StreamReader, server: EditorServer) -> None:
    """Hand every message to pygls; each request gets an answer, also one that makes no sense."""
    while True:
        try:
            body = await _read_message(reader)
        except Hangup as end:
            log.info("the editor hung up: %s", end)
            return
        try:
            data = _decoded(body)
        except (ValueError, RecursionError):
            log.warning("the editor sent what is no JSON (%d bytes)", len(body))
            continue
        if isinstance(data, dict):
            _hand_over(server, data)
            if data.get("method") == "exit":
                return


def _decoded(body: bytes) -> Any:
    """Errors: ValueError."""
    try:
        return orjson.loads(body)
    except ValueError:
        return json.loads(body)  # an editor may send half of a character while somebody types the other half


def _hand_over(server: EditorServer, data: dict[str, Any]) -> None:
    protocol: Any = server.protocol
    if data.get("method") == "exit" or server.take_answer(data):
        return
    try:
        message = protocol.structure_message(data)
    except Exception as error:
        log.warning("%s could not be read: %s", data.get("method"), type(error).__name__)
        if "id" in data and "method" in data:
            refusal = {"code": -32602, "message": f"The params of {data['method']} are not those of LSP."}
            protocol._send_data({"jsonrpc": "2.0", "id": data["id"], "error": refusal})
        return
    try:
        protocol.handle_message(message)
    except Exception:
        log.exception("%s failed", data.get("method"))


async def _read_message(reader: asyncio.StreamReader) -> bytes:
    """Errors: Hangup."""
    length = None
    read = 0
    try:
        while True:
            line = await reader.readline()
            read += len(line)
            if not line or read > _HEADER:
                raise Hangup("the stream ended" if not line else "a header has no end")
            if line in (b"\r\n", b"\n"):
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if length is None or length > _LARGEST:
            raise Hangup(f"Content-Length is {length}")
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ValueError, OSError) as error:
        raise Hangup(type(error).__name__) from error


class _Flow(asyncio.streams.FlowControlMixin):
    """Tells when all that was written has gone out, or never will."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


class _Writer:
    """What pygls writes to; the transport buffers, so that an editor that does not read stops nobody else."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        self._writer.close()


def _unbuffered(descriptor: int) -> Any:
    """A file object of our own for a standard stream; prints of others then go to standard error."""
    mine = os.dup(descriptor)
    if descriptor == 1:
        sys.stdout.flush()
        os.dup2(2, 1)
    return open(mine, "rb" if descriptor == 0 else "wb", buffering=0)
