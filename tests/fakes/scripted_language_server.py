"""A language server that behaves as oddly as its first argument, a JSON object, tells it to.

It reports an error for each ``BAD`` and a warning for each ``MEH`` in a document. Keys of the script:

delay, repeat_after   seconds from a change to the report; to a second report, the first one being empty
pull, across_files    answers ``textDocument/diagnostic``; findings count the other documents' ``BAD`` too
versioned             reports name the document version (default true)
silent                never reports
crash_at_start, refuse_start, hang_at_start, start_delay
crash_on              a text whose appearance in a document kills the process
flood                 that many warnings with each report
stderr                that many bytes to standard error at the start
work                  seconds of announced work after each change, at whose end the true report comes
encoding              the position encoding chosen
elsewhere             a path about which an error is published with each change
log                   a file to which each received method is appended, with the text or the events it carried
fixes                 offers a quick fix for each ``BAD`` whose title names its place
watch                 a glob pattern of files on disk of which it wants to hear
fix_delay             seconds until it says what it offers
saves                 it wants to hear of saves
stuck_on              a text after whose appearance nothing is read or said any more
ignore_exit           does not end by itself, not even when its input ends
child                 starts a process that sleeps, and writes its id to the file named

Never: used outside tests.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from typing import Any

Message = dict[str, Any]


class Server:
    """The documents and the script of one process."""

    def __init__(self, script: Message) -> None:
        self.script = script
        self.texts: dict[str, tuple[int, str]] = {}
        self.out = threading.Lock()
        self.saved: list[threading.Timer] = []

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.out:
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sys.stdout.buffer.flush()

    def notify(self, method: str, params: Message) -> None:
        self.send({"method": method, "params": params})

    def after(self, seconds: float, what: Any, *arguments: Any) -> None:
        timer = threading.Timer(seconds, what, arguments)
        timer.daemon = True
        timer.start()

    def log(self, method: str, params: Message) -> None:
        if "log" not in self.script:
            return
        document = params.get("textDocument", {})
        changes = params.get("contentChanges", [{}])
        text = document.get("text", changes[0].get("text", params.get("text")))
        detail = params.get("changes", text)
        row = {"method": method, "uri": document.get("uri"), "detail": detail}
        with open(self.script["log"], "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def initialize(self, message: Message) -> None:
        script = self.script
        if script.get("hang_at_start"):
            return
        time.sleep(script.get("start_delay", 0))
        if script.get("refuse_start"):
            self.send({"id": message["id"], "error": {"code": -32603, "message": "No licence."}})
            return
        capabilities: Message = {"textDocumentSync": 1, "positionEncoding": script.get("encoding", "utf-16")}
        if script.get("saves"):
            capabilities["textDocumentSync"] = {"openClose": True, "change": 1, "save": {"includeText": True}}
        if script.get("fixes"):
            capabilities["codeActionProvider"] = True
        if script.get("pull"):
            across = bool(script.get("across_files"))
            capabilities["diagnosticProvider"] = {"interFileDependencies": across, "identifier": "scripted"}
        self.send({"id": message["id"], "result": {"capabilities": capabilities}})
        if "watch" in script:
            watched = {"watchers": [{"globPattern": script["watch"]}]}
            row = {"id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": watched}
            self.send({"id": "r", "method": "client/registerCapability", "params": {"registrations": [row]}})

    def findings(self, uri: str) -> list[Message]:
        text = self.texts[uri][1]
        found = [self.finding(text, hit.start(), 1, "E1") for hit in re.finditer("BAD", text)]
        found += [self.finding(text, hit.start(), 2, 7) for hit in re.finditer("MEH", text)]
        if self.script.get("across_files"):
            total = sum(other.count("BAD") for name, (_, other) in self.texts.items() if name != uri)
            found += [self.finding(text, 0, 1, "ELSEWHERE") for _ in range(total)]
        flood = self.script.get("flood", 0)
        return found + [self.finding(text, 0, 2, f"W{number}") for number in range(flood)]

    def finding(self, text: str, offset: int, severity: int, code: str | int) -> Message:
        line = text.count("\n", 0, offset)
        head = text[text.rfind("\n", 0, offset) + 1 : offset]
        units = {"utf-8": len(head.encode()), "utf-32": len(head)}
        character = units.get(self.script.get("encoding", "utf-16"), len(head.encode("utf-16-le")) // 2)
        start, end = {"line": line, "character": character}, {"line": line, "character": character + 3}
        found = {"range": {"start": start, "end": end}, "severity": severity, "message": f"found {code}"}
        return {**found, "code": code, "source": "Scripted"}

    def publish(self, uri: str, version: int, findings: list[Message]) -> None:
        params: Message = {"uri": uri, "diagnostics": findings}
        if self.script.get("versioned", True):
            params["version"] = version
        self.notify("textDocument/publishDiagnostics", params)

    def changed(self, uri: str, version: int, text: str) -> None:
        script = self.script
        self.texts[uri] = (version, text)
        if script.get("crash_on") and script["crash_on"] in text:
            print("it was too much", file=sys.stderr, flush=True)
            os._exit(3)
        if script.get("stuck_on") and script["stuck_on"] in text:
            threading.Event().wait()
        if script.get("pull") or script.get("silent"):
            return
        findings = self.findings(uri)
        first = [] if "repeat_after" in script or "work" in script else findings
        if "work" in script:
            self.notify("$/progress", {"token": version, "value": {"kind": "begin", "title": "indexing"}})
            self.after(script["work"], self.worked, uri, version, findings)
        self.later(script.get("delay", 0), uri, version, first)
        if "repeat_after" in script:
            self.later(script["repeat_after"], uri, version, findings)
        if "elsewhere" in script:
            self.publish(script["elsewhere"], 0, [self.finding("", 0, 1, "E2")])

    def fixes(self, params: Message) -> list[Message]:
        (problem,) = params["context"]["diagnostics"]
        start = problem["range"]["start"]
        if problem["code"] != "E1":
            return []
        place = f"{start['line'] + 1}:{start['character'] + 1}"
        return [
            {"title": "Disabled", "kind": "quickfix", "disabled": {"reason": "so"}},
            {"title": "Move it", "kind": "refactor"},
            {"title": "Look at it", "kind": "quickfix"},
            {"title": f"Replace it at {place}", "kind": "quickfix", "isPreferred": True},
        ]

    def later(self, seconds: float, uri: str, version: int, findings: list[Message]) -> None:
        if seconds:
            self.after(seconds, self.publish, uri, version, findings)
        else:
            self.publish(uri, version, findings)

    def worked(self, uri: str, version: int, findings: list[Message]) -> None:
        self.notify("$/progress", {"token": version, "value": {"kind": "end"}})
        self.publish(uri, version, findings)

    def received(self, message: Message) -> None:
        method, params = message.get("method", ""), message.get("params") or {}
        self.log(method, params)
        document = params.get("textDocument", {})
        if method == "initialize":
            self.initialize(message)
        elif method == "textDocument/didOpen":
            self.changed(document["uri"], document["version"], document["text"])
        elif method == "textDocument/didChange":
            self.changed(document["uri"], document["version"], params["contentChanges"][0]["text"])
        elif method == "textDocument/didClose":
            self.texts.pop(document["uri"], None)
        elif method == "textDocument/diagnostic":
            items = self.findings(document["uri"])
            answer = {"id": message["id"], "result": {"kind": "full", "items": items}}
            self.after(self.script.get("delay", 0), self.send, answer)
        elif method == "textDocument/codeAction":
            self.after(
                self.script.get("fix_delay", 0),
                self.send,
                {"id": message["id"], "result": self.fixes(params)},
            )
        elif method == "shutdown" and not self.script.get("ignore_exit"):
            self.send({"id": message["id"], "result": None})
        elif method == "exit" and not self.script.get("ignore_exit"):
            os._exit(0)


def read_message() -> Message | None:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if line else None


def main() -> None:
    script = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    if script.get("crash_at_start"):
        print("no such module", file=sys.stderr)
        sys.exit(1)
    if "child" in script:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open(script["child"], "w", encoding="utf-8") as file:
            file.write(str(child.pid))
    sys.stderr.write("x" * script.get("stderr", 0))
    server = Server(script)
    while (message := read_message()) is not None:
        server.received(message)
    if script.get("ignore_exit"):
        threading.Event().wait()


if __name__ == "__main__":
    main()
