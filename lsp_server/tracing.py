"""Traces for OpenTelemetry: one span for each call, to a collector that the person named.

::

    COEDITOR_TRACES=1                     switches it on; nothing is sent without it
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT    whole address; else OTEL_EXPORTER_OTLP_ENDPOINT and /v1/traces,
                                          else http://127.0.0.1:4318/v1/traces
    OTEL_EXPORTER_OTLP_HEADERS            name=value,name=value
    OTEL_SERVICE_NAME                     else coeditor

It speaks OTLP over HTTP with JSON, with the standard library alone. A collector that is slow or gone costs spans,
never a call.

Never: file contents, paths, requests or messages of errors; a span has the names of tool, door and code.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from ledger.errors import CoeditorError
from lsp_server import __version__
from lsp_server.service import CallContext

log = logging.getLogger(__name__)

_WAITING: Final = 1_000
"""Spans that wait to be sent; more are dropped."""
_TOGETHER: Final = 200
_PATIENCE: Final = 5.0
_ERROR: Final = 2
"""OTLP's status code of a span that failed."""


@dataclass(slots=True)
class Span:
    """One call. Times are nanoseconds since the epoch."""

    name: str
    attributes: dict[str, str | int | bool]
    began: int
    ended: int = 0
    code: str | None = None
    """The error's, where it failed."""
    events: list[tuple[str, int]] = field(default_factory=list)
    """Side effects, with their milliseconds."""


class Tracer:
    """Takes spans from the event loop and sends them from a thread of its own."""

    def __init__(self, endpoint: str, headers: Mapping[str, str], service: str) -> None:
        self._endpoint = endpoint
        self._headers = {**headers, "Content-Type": "application/json"}
        self._service = service
        self._queue: queue.Queue[Span | None] = queue.Queue(_WAITING)
        self.dropped = 0
        self._told = False
        self._thread = threading.Thread(target=self._send_all, name="traces", daemon=True)
        self._thread.start()

    @contextmanager
    def span(self, tool: str, context: CallContext) -> Iterator[Span]:
        """A span as long as the block; of what is raised it has the code."""
        caller = context.caller
        attributes: dict[str, str | int | bool] = {
            "coeditor.tool": tool,
            "coeditor.door": context.door,
            "coeditor.session": caller.scope.session,
            "coeditor.scope": caller.scope.scope,
        }
        found = Span(f"coeditor {tool}", attributes, time.time_ns())
        try:
            yield found
        except CoeditorError as error:
            found.code = str(error.code)
            raise
        except BaseException as error:
            found.code = type(error).__name__
            raise
        finally:
            found.ended = time.time_ns()
            try:
                self._queue.put_nowait(found)
            except queue.Full:
                self.dropped += 1

    def close(self, seconds: float = 1.0) -> None:
        """Send what waits, for so long at most."""
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(seconds)

    def _send_all(self) -> None:
        while True:
            spans = [self._queue.get()]
            while spans[-1] is not None and len(spans) < _TOGETHER and not self._queue.empty():
                spans.append(self._queue.get())
            ended = spans[-1] is None
            sent = [one for one in spans if one is not None]
            if sent:
                self._send(sent)
            if ended:
                return

    def _send(self, spans: list[Span]) -> None:
        from urllib.request import Request, urlopen

        body = json.dumps(self._message(spans)).encode("ascii")
        try:
            request = Request(self._endpoint, body, self._headers, method="POST")
            with urlopen(request, timeout=_PATIENCE):
                pass
        except (OSError, ValueError) as error:
            self.dropped += len(spans)
            if not self._told:
                self._told = True
                log.warning("traces cannot be sent (%s); calls go on without", type(error).__name__)

    def _message(self, spans: list[Span]) -> dict[str, Any]:
        resource: dict[str, str | int | bool] = {
            "service.name": self._service,
            "service.version": __version__,
            "process.pid": os.getpid(),
        }
        scope = {"name": "coeditor", "version": __version__}
        listed = [_span(one) for one in spans]
        return {
            "resourceSpans": [
                {
                    "resource": {"attributes": _attributes(resource)},
                    "scopeSpans": [{"scope": scope, "spans": listed}],
                }
            ]
        }


def tracer_from(environ: Mapping[str, str]) -> Tracer | None:
    """The tracer that the environment asks for; None where it asks for none."""
    if environ.get("COEDITOR_TRACES") != "1" or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    base = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://127.0.0.1:4318"
    endpoint = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or base.rstrip("/") + "/v1/traces"
    if not endpoint.startswith(("http://", "https://")):
        log.warning("traces go to http and https only; OTEL_EXPORTER_OTLP_ENDPOINT names something else")
        return None
    pairs = (one.partition("=") for one in environ.get("OTEL_EXPORTER_OTLP_HEADERS", "").split(","))
    headers = {
        name.strip(): unquote(value.strip()) for name, equals, value in pairs if equals and name.strip()
    }
    return Tracer(endpoint, headers, environ.get("OTEL_SERVICE_NAME") or "coeditor")


def _span(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {
        "traceId": os.urandom(16).hex(),
        "spanId": os.urandom(8).hex(),
        "name": span.name,
        "kind": 2,
        "startTimeUnixNano": str(span.began),
        "endTimeUnixNano": str(span.ended),
        "attributes": _attributes(span.attributes),
        "events": [
            {"name": name, "timeUnixNano": str(span.ended), "attributes": _attributes({"coeditor.ms": ms})}
            for name, ms in span.events
        ],
    }
    if span.code is not None:
        found["attributes"] += _attributes({"error.type": span.code})
        found["status"] = {"code": _ERROR}
    return found


def _attributes(values: Mapping[str, str | int | bool]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: str | int | bool) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
