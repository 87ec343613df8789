"""Traces reach the collector that was named, hold no content, and hold up nobody."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from lsp_server.tracing import tracer_from
from tests.lsp_server.tools.conftest import MakeWalk, make_walk

__all__ = ["make_walk"]
SECRET = "hunter2-of-a-file"


@contextmanager
def collector() -> Iterator[tuple[str, list[tuple[str, dict[str, str], dict[str, Any]]]]]:
    """Its address, and what it was sent: path, headers, body."""
    sent: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", sent
        finally:
            server.shutdown()
            thread.join()


def spans_in(sent: list[tuple[str, dict[str, str], dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        span
        for _, _, body in sent
        for resource in body["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


async def test_calls_are_spans_and_hold_no_content(
    make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collector() as (address, sent):
        monkeypatch.setenv("COEDITOR_TRACES", "1")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b")
        walk = make_walk()
        await walk.write("secret-name.txt", f"{SECRET}\n")
        refused = await walk.edit("secret-name.txt", "not there", SECRET)
        await walk.app.close()
        walk.app.close = _nothing  # type: ignore[method-assign]
    assert refused["code"] == "FS_NO_MATCH"
    assert {path for path, _, _ in sent} == {"/v1/traces"}
    assert sent[0][1]["x-team"] == "a b"
    written, edited = spans_in(sent)
    assert (written["name"], edited["name"]) == ("coeditor write", "coeditor edit")
    assert written.get("status") is None
    assert edited["status"] == {"code": 2}
    assert {"key": "error.type", "value": {"stringValue": "FS_NO_MATCH"}} in edited["attributes"]
    assert [event["name"] for event in written["events"]] == ["history", "refresh", "events"]
    assert int(written["startTimeUnixNano"]) <= int(written["endTimeUnixNano"])
    assert (len(written["traceId"]), len(written["spanId"])) == (32, 16)
    told = json.dumps(sent)
    assert SECRET not in told
    assert "secret-name" not in told


async def _nothing() -> None: ...


async def test_a_collector_that_is_gone_costs_no_call(
    make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        monkeypatch.setenv("COEDITOR_TRACES", "1")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{held.getsockname()[1]}")
        walk = make_walk()
        held.close()
        for number in range(20):
            assert (await walk.write(f"{number}.txt", "x\n"))["ok"]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
        {"COEDITOR_TRACES": "0"},
        {"COEDITOR_TRACES": "1", "OTEL_SDK_DISABLED": "true"},
        {"COEDITOR_TRACES": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "file:///etc/passwd"},
    ],
)
def test_nothing_is_sent_unasked(environ: dict[str, str]) -> None:
    assert tracer_from(environ) is None
