"""A model that plays a script, on loopback: it speaks what four kinds of agents ask models in, and records all of it.

A conversation is played from the script whose name stands in a user's message as ``<<name>>``, one step for each
request; a request that is repeated byte for byte gets the same step again. Requests that fit a rule, or offer no tools
(titles and the like), get a fixed text. A step can give a cue before it is played: whoever listens at the cue socket
does something, such as typing in an editor, and lets it go on.

Never: an address beyond loopback, or an answer that was not scripted.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

Json = dict[str, Any]
_NAME = re.compile(r"<<([a-z]+)>>")


class Script:
    """What is said next."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._steps: dict[str, list[Json]] = told["steps"]
        self._rules: list[Json] = told.get("rules", [])
        self._cues: str | None = told.get("cues")
        self._at: dict[str, int] = {}
        self._played: dict[bytes, Json] = {}
        self._lock = threading.Lock()

    def step(self, wire: str, body: Json, raw: bytes) -> Json:
        """The step for a request; cues are given before it returns."""
        with self._lock:
            if raw in self._played:
                return self._played[raw]
            found = self._played[raw] = self._next(wire, body)
        if "cue" in found and self._cues is not None:
            _give_cue(self._cues, found["cue"])
        return found

    def _next(self, wire: str, body: Json) -> Json:
        flat = json.dumps(body)
        for rule in self._rules:
            if re.search(rule["match"], flat):
                return {"say": rule["say"]}
        # After a compaction the name may be left in the summary only, which can be anybody's.
        said = [text for text in _user_texts(wire, body) if _NAME.search(text)] or [flat]
        names = [name for text in said for name in _NAME.findall(text) if name in self._steps]
        if not names or not body.get("tools"):
            return {"say": "ok"}
        name = names[-1]
        number = self._at.get(name, 0)
        self._at[name] = number + 1
        steps = self._steps[name]
        return steps[number] if number < len(steps) else {"say": "There is no more in the script."}


def _give_cue(address: str, cue: str) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(address)
        peer.sendall(cue.encode() + b"\n")
        peer.recv(16)


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one.get("text", "")) for one in parts if isinstance(one, dict))


def _user_texts(wire: str, body: Json) -> list[str]:
    rows = {"responses": "input", "gemini": "contents"}.get(wire, "messages")
    found = body.get(rows) or []
    if isinstance(found, str):
        return [found]
    return [_texts(one.get("content") or one.get("parts")) for one in found if one.get("role") == "user"]


def _calls(step: Json) -> list[Json]:
    return [step] if "tool" in step else []


# What each kind of agent reads: pairs of an event's name (None where there are no names) and its object.


def _responses(step: Json, body: Json, number: int) -> Iterator[tuple[str | None, Json]]:
    head: Json = {"id": f"resp_{number}", "object": "response", "model": body.get("model"), "output": []}
    yield "response.created", {"response": {**head, "status": "in_progress"}}
    items: list[Json] = []
    if "say" in step:
        part = {"type": "output_text", "text": step["say"], "annotations": []}
        items.append({"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [part]})
    for call in _calls(step):
        item: Json = {"id": f"item_{number}", "call_id": f"call_{number}", "status": "completed"}
        if "input" in call:
            item |= {"type": "custom_tool_call", "name": call["tool"], "input": call["input"]}
        else:
            space, _, name = call["tool"].rpartition(".")
            item |= {"type": "function_call", "name": name, "arguments": json.dumps(call["args"])}
            item |= {"namespace": space} if space else {}
        items.append(item)
    for index, item in enumerate(items):
        yield "response.output_item.added", {"output_index": index, "item": item}
        yield "response.output_item.done", {"output_index": index, "item": item}
    tokens = step.get("tokens", 100)
    usage = {"input_tokens": tokens, "output_tokens": 10, "total_tokens": tokens + 10}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    yield "response.completed", {"response": {**head, "status": "completed", "output": items, "usage": usage}}


def _messages(step: Json, body: Json, number: int) -> Iterator[tuple[str | None, Json]]:
    usage = {"input_tokens": step.get("tokens", 100), "output_tokens": 10}
    head: Json = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
    }
    yield "message_start", {"message": {**head, "stop_reason": None, "usage": usage}}
    blocks: list[tuple[Json, Json]] = []
    if "say" in step:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": step["say"]}))
    for call in _calls(step):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call["tool"], "input": {}}
        blocks.append((block, {"type": "input_json_delta", "partial_json": json.dumps(call["args"])}))
    for index, (block, delta) in enumerate(blocks):
        yield "content_block_start", {"index": index, "content_block": block}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    reason = "tool_use" if _calls(step) else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield "message_stop", {}


def _chat(step: Json, body: Json, number: int) -> Iterator[tuple[str | None, Json]]:
    head = {
        "id": f"chat_{number}",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": body.get("model"),
    }

    def piece(delta: Json, finish: str | None = None) -> tuple[None, Json]:
        return None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield piece({"role": "assistant", "content": step.get("say", "")})
    for call in _calls(step):
        made = {"name": call["tool"], "arguments": json.dumps(call["args"])}
        yield piece(
            {"tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": made}]}
        )
    yield piece({}, "tool_calls" if _calls(step) else "stop")
    tokens = step.get("tokens", 100)
    yield (
        None,
        {
            **head,
            "choices": [],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10},
        },
    )


def _gemini(step: Json, body: Json, number: int) -> Iterator[tuple[str | None, Json]]:
    parts: list[Json] = [{"text": step["say"]}] if "say" in step else []
    parts += [{"functionCall": {"name": call["tool"], "args": call["args"]}} for call in _calls(step)]
    tokens = step.get("tokens", 100)
    yield (
        None,
        {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": tokens,
                "candidatesTokenCount": 10,
                "totalTokenCount": tokens + 10,
            },
            "responseId": f"g_{number}",
        },
    )


WIRES = {"responses": _responses, "messages": _messages, "chat": _chat, "gemini": _gemini}


def _wire_of(path: str) -> str | None:
    ends = {
        "/responses": "responses",
        "/messages": "messages",
        "/chat/completions": "chat",
        ":generateContent": "gemini",
        ":streamGenerateContent": "gemini",
    }
    return next((wire for end, wire in ends.items() if path.endswith(end)), None)


def _whole(wire: str, events: list[tuple[str | None, Json]], step: Json) -> Json:
    """The answer to who does not want it in pieces."""
    if wire == "gemini":
        return events[0][1]
    if wire == "responses":
        found: Json = events[-1][1]["response"]
        return found
    if wire == "messages":
        message: Json = dict(events[0][1]["message"])
        return {
            **message,
            "content": [{"type": "text", "text": step.get("say", "ok")}],
            "stop_reason": "end_turn",
        }
    last = events[-1][1]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": step.get("say", "ok")},
        "finish_reason": "stop",
    }
    return {**last, "object": "chat.completion", "choices": [choice]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: ClassVar[Script]
    record: ClassVar[Path]
    count: ClassVar[int] = 0
    lock: ClassVar[threading.Lock] = threading.Lock()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing; all is in the record."""

    def do_GET(self) -> None:
        self._send(404, {"error": {"message": "nothing is here"}})

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        raw = self._body()
        path = self.path.partition("?")[0]
        body = json.loads(raw) if raw else {}
        wire = _wire_of(path)
        if wire is None:
            self._send(200, {"input_tokens": 10, "totalTokens": 10})
            return
        cls = type(self)
        with cls.lock:
            cls.count += 1
            number = cls.count
        step = cls.script.step(wire, body, raw)
        with cls.lock, cls.record.open("a") as file:
            file.write(json.dumps({"wire": wire, "body": body, "step": step}) + "\n")
        events = list(WIRES[wire](step, body, number))
        if not (body.get("stream") or path.endswith(":streamGenerateContent")):
            self._send(200, _whole(wire, events, step))
            return
        self._stream(wire, events)

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("transfer-encoding") or ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        found = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _send(self, status: int, answer: Json) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, wire: str, events: list[tuple[str | None, Json]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, told in events:
            typed = {"type": name, **told} if name is not None else told
            head = f"event: {name}\n" if name is not None else ""
            self.wfile.write(f"{head}data: {json.dumps(typed)}\n\n".encode())
        if wire == "chat":
            self.wfile.write(b"data: [DONE]\n\n")


def serve(script: Mapping[str, Any], record: Path, port: int) -> ThreadingHTTPServer:
    """A model that answers on a port of loopback, in a thread, until it is shut down."""
    handler = type("Handler", (_Handler,), {"script": Script(script), "record": record})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
