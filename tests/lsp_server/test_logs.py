"""What a server's log says, what it never says, and how it stays small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SECRET = "hunter2-of-a-file"
_SAYS = f"""
import asyncio, logging, os
from lsp_server import logs
logs.configure(as_json=os.environ["FORM"] == "json")
log = logging.getLogger("lsp_server.somewhere")
log.info("serving %s", "a\\nb")
try:
    try:
        {{}}["{SECRET}"]
    except KeyError as error:
        raise ValueError("{SECRET}") from error
except ValueError:
    log.exception("a call failed")
try:
    open("/nowhere/at/all")
except OSError:
    log.exception("a file failed")

async def main():
    async def lost():
        raise RuntimeError("{SECRET}")
    task = asyncio.ensure_future(lost())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
asyncio.run(main())
"""


@pytest.mark.parametrize("form", ["lines", "json"])
def test_an_exception_is_told_by_its_places_and_not_by_what_it_quotes(form: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SAYS],
        env={**os.environ, "FORM": form},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert SECRET not in done.stderr
    for told in ("a call failed", "ValueError", "KeyError", "No such file or directory", "never retrieved"):
        assert told in done.stderr
    if form == "json":
        rows = [json.loads(line) for line in done.stderr.splitlines()]
        assert [row["level"] for row in rows] == ["info", "error", "error", "error"]
        assert rows[0]["message"] == "serving a\\nb"
        assert {"time", "level", "logger", "message", "process"} <= set(rows[0])
        assert rows[1]["exception"][-1] == "KeyError"


def test_a_log_that_has_grown_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    script = (
        "import os, sys\nfrom lsp_server import logs\n"
        f"path = {str(path)!r}\n"
        "for number in range(4):\n"
        "    os.write(2, b'%d' % number * 600)\n"
        "    logs.put_aside(path, 1000)\n"
        "os.write(1, b'out'); os.write(2, b'err')\n"
    )
    with path.open("ab") as log:
        subprocess.run([sys.executable, "-c", script], stdout=log, stderr=log, timeout=60, check=True)
    assert (tmp_path / "server.log.1").read_bytes() == b"2" * 600 + b"3" * 600
    assert path.read_bytes() == b"outerr"


def test_a_log_that_is_not_where_errors_go_is_left_alone(tmp_path: Path) -> None:
    from lsp_server import logs

    path = tmp_path / "other.log"
    path.write_bytes(b"x" * 100)
    logs.put_aside(str(path), 10)
    assert [one.name for one in tmp_path.iterdir()] == ["other.log"]
