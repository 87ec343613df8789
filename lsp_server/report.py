"""``coeditor report``: one file to send with a bug report, without anything that stands in your files.

::

    about.json          versions, platform, which of our variables are set; what ``coeditor doctor`` finds
    status.json         the server's counts, the editor's name, settings that are not as they come
    ledger.json         how many rows of what, by state; whether the file is whole
    transactions.json   unfinished changes: sizes and ages
    events.json         the last edits: when, how many files and lines
    log.txt             the end of the server's logs: messages, places in the code, types of exceptions

Names of folders above the workspace and of the user are replaced, values of settings that could hold a secret and
whatever is in quotation marks are left out.

Never: file contents, requests, tokens, or a name of a file that no log message has. Nothing is sent.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any, Final

from ledger.errors import CoeditorError
from lsp_server import __version__, paths
from lsp_server.paths import Folder

_USAGE: Final = "usage: coeditor report [--out FILE]"
_LOG_BYTES: Final = 1 << 18
_EVENTS: Final = 200
_PACKAGES: Final = ("pygls", "lsprotocol", "orjson", "watchfiles", "rich", "ruff", "ripgrep", "basedpyright")
_OPENING = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]{4,8} (?:lsp_server|editor_clients|ledger)[\w.]*: "
)
_FRAME = re.compile(r' +File "[^"\n]+", line \d+, in \S+$')
_TYPE = re.compile(r" *((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit|Warning))(?::.*)?$")
_QUOTED = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`\n]*`""")


def main(arguments: Sequence[str]) -> int:
    """0 when the bundle is there, 1 when it could not be written, 2 for words that are not understood."""
    out = None
    match list(arguments):
        case []:
            pass
        case ["--out", path]:
            out = path
        case _:
            print(f"coeditor report: unknown arguments. {_USAGE}", file=sys.stderr)
            return 2
    out = out or time.strftime("coeditor-report-%Y%m%d-%H%M%S.zip")
    try:
        written = write(os.getcwd(), out)
    except (OSError, CoeditorError) as error:
        print(f"coeditor report: {out} cannot be written ({error}).", file=sys.stderr)
        return 1
    print(f"{os.path.abspath(out)} has {', '.join(written)}.")
    print("It holds no file content. Look through it before you send it: it is yours to send.")
    return 0


def write(cwd: str, out: str) -> list[str]:
    """Make the bundle ``out``, which must not be there yet; gives the names in it. Errors: OSError, NO_SERVER."""
    root = paths.workspace_root(cwd)
    folder = paths.folder_of(root)
    folder.make()
    parts = {
        "about.json": _as_json(_about(cwd, root)),
        "status.json": _as_json(_status(cwd)),
        "ledger.json": _as_json(_ledger(folder)),
        "transactions.json": _as_json(list(_transactions(folder))),
        "events.json": _as_json(_events(folder)),
        "log.txt": "".join(f"{line}\n" for line in log_lines(folder)),
    }
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in parts.items():
            bundle.writestr(name, _without_places(text, root))
    return list(parts)


def _about(cwd: str, root: str) -> dict[str, Any]:
    from lsp_server.doctor import examine

    found = examine(cwd, repair=False)
    shown = {"python", "server", "language servers", "language servers that run"}
    return {
        "coeditor": __version__,
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "file_system": _file_system(root),
        "packages": dict(_versions()),
        "variables": sorted(name for name in os.environ if name.startswith(("COEDITOR_", "XDG_", "OTEL_"))),
        "facts": [[name, value] for name, value in found.facts if name in shown],
        "findings": [_unquoted(one.what) for one in found.findings],
    }


def _versions() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            yield name, metadata.version(name)


def _file_system(root: str) -> str:
    """The type of the file system that holds the workspace, where the system tells."""
    best, kind = "", "unknown"
    with suppress(OSError), open("/proc/mounts", encoding="utf-8", errors="replace") as mounts:
        for line in mounts:
            _, place, found, *_ = line.split(" ")
            if len(place) > len(best) and (root + "/").startswith(place.rstrip("/") + "/"):
                best, kind = place, found
    return kind


def _status(cwd: str) -> dict[str, Any]:
    from lsp_server.agents.link import connect_cli

    try:
        caller = connect_cli(cwd, "report")
        try:
            status = caller.call("status", {})
        finally:
            caller.close()
    except CoeditorError as error:
        return {"error": str(error.code)}
    editor = status["editor"] or {}
    return {
        "server": {name: status["server"].get(name) for name in ("version", "kind", "started", "calls")},
        "editor": {name: editor[name] for name in ("name", "version") if name in editor},
        "counts": {
            name: len(status[name])
            for name in ("workspace_folders", "sessions", "open_documents", "unsaved_documents")
        },
        "settings": settings_told(status["policy"]),
        "warnings": [_unquoted(one) for one in status.get("warnings", [])],
    }


def settings_told(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that are not as they come: switches and numbers as they are, of lists and tables how much is in them."""
    from lsp_server.settings import NAMES, Settings

    plain = Settings()
    found: dict[str, Any] = {}
    for name in NAMES:
        value, usual = policy.get(name), getattr(plain, name)
        if isinstance(value, Mapping) and isinstance(usual, Mapping) and usual:
            changed = {key: one for key, one in value.items() if one != usual.get(key)}
            found |= {name: changed} if changed else {}
        elif value != (list(usual) if isinstance(usual, tuple) else usual):
            found[name] = len(value) if isinstance(value, list | Mapping) else value
    return found


def _ledger(folder: Folder) -> dict[str, Any]:
    from ledger.store import describe

    return describe(folder.ledger)


def _transactions(folder: Folder) -> Iterator[dict[str, Any]]:
    with suppress(OSError), os.scandir(folder.transactions) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield {"bytes": status.st_size, "seconds": round(time.time() - status.st_mtime)}


def _events(folder: Folder) -> list[dict[str, Any]]:
    found = []
    for line in _end_of(os.path.join(folder.state, "events.jsonl"))[-_EVENTS:]:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            event = json.loads(line)
            files = event.get("files", [])
            found.append(
                {
                    "event": str(event["event"])[:40],
                    "time": str(event["time"])[:40],
                    "operations": dict(Counter(str(one["operation"])[:10] for one in files)),
                    "added": sum(int(one["added"]) for one in files),
                    "removed": sum(int(one["removed"]) for one in files),
                }
            )
    return found


def log_lines(folder: Folder) -> list[str]:
    """The end of both logs, of each line what is surely ours."""
    found: list[str] = []
    for path in (folder.log + ".1", folder.log):
        found += [kept for line in _end_of(path) if (kept := _kept(line)) is not None]
    return found


def _kept(line: str) -> str | None:
    if line.startswith("{"):
        return _kept_object(line)
    if _OPENING.match(line):
        return _unquoted(line)
    if _FRAME.match(line):
        return line
    kind = _TYPE.match(line)
    return f"  {kind[1]}" if kind else None


def _kept_object(line: str) -> str | None:
    try:
        found = json.loads(line)
        told = {name: str(found[name])[:80] for name in ("time", "level", "logger")}
        if not told["logger"].startswith(("lsp_server", "editor_clients", "ledger")):
            return None
        told["message"] = _unquoted(str(found["message"]))
        lines = [str(one) for one in found.get("exception", [])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    kept = [one for one in (_kept(f"  {line}") for line in lines) if one is not None]
    return json.dumps({**told, "exception": kept} if kept else told)


def _end_of(path: str) -> list[str]:
    """The last lines of a file of ours; none where it is not there."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOG_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    lines = text.split("\n")
    return lines if size <= _LOG_BYTES else lines[1:]


def _unquoted(text: str) -> str:
    """A sentence of ours without what it quotes."""
    return _QUOTED.sub("'...'", text)


def _without_places(text: str, root: str) -> str:
    """Folders of the person's by what they are."""
    home = os.path.expanduser("~")
    for place, name in ((root, "WORKSPACE"), (os.path.realpath(home), "HOME"), (home, "HOME")):
        if len(place) > 1:
            text = re.sub(re.escape(place) + r"(?![\w.-])", name, text)
    return text


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)
