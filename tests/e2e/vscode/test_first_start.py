"""The first start without Coeditor on the PATH: what the person is told, and that it goes on once that is mended."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.vscode.workbench import Workbench, server_command

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

COMMAND = "coeditor.server.command"
FULL = os.environ.get("COEDITOR_FAULTS") == "full"
TOAST = ".notifications-center .notification-list-item"


async def test_a_python_that_is_too_old_is_named_with_what_to_do(bench: Workbench, tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\necho 3.9.18 1\n")
    old.chmod(0o755)
    served = await bench.server_pid()
    path = await bench.host("environment", name="PATH", value=str(tmp_path))
    try:
        await bench.host("setting", name=COMMAND, value=[])
        await bench.command("notifications.showList")  # by itself it shows for a while only
        await bench.wait(f'{TOAST}:has-text("there is only Python 3.9.18 ({old})")')
        await bench.wait(f'{TOAST} .monaco-button:has-text("Try Again")')
        await bench.wait(f'{TOAST} .monaco-button:has-text("Open Setting")')
    finally:
        await bench.host("environment", name="PATH", value=path or os.defpath)
        await bench.host("setting", name=COMMAND, value=server_command())
    assert await bench.server_pid(other_than=served) != served


if FULL:  # it fetches packages

    async def test_the_server_is_installed_once_and_needs_no_network_afterwards(
        bench: Workbench, tmp_path: Path
    ) -> None:
        python = tmp_path / "python3"
        python.write_text(f'#!/bin/sh\nexec {getattr(sys, "_base_executable", sys.executable)} "$@"\n')
        python.chmod(0o755)
        served = await bench.server_pid()
        path = await bench.host("environment", name="PATH", value=str(tmp_path))
        try:
            await bench.host("setting", name=COMMAND, value=[])
            await bench.wait('.notification-list-item:has-text("installing the server (once)")')
            await bench.picture("first-start")
            made = await bench.server_pid(other_than=served)
            words = Path(f"/proc/{made}/cmdline").read_bytes().split(b"\0")  # noqa: ASYNC240
            assert any(b"/globalStorage/coeditor.coeditor/coeditor-" in word for word in words), words
            await bench.wait('.notification-list-item:has-text("installing the server")', "detached")

            python.unlink()
            await bench.command("coeditor.restartServer")
            again = await bench.server_pid(other_than=made)
            assert words == Path(f"/proc/{again}/cmdline").read_bytes().split(b"\0")  # noqa: ASYNC240
        finally:
            await bench.host("environment", name="PATH", value=path or os.defpath)
            served = await bench.server_pid()
            await bench.host("setting", name=COMMAND, value=server_command())
        assert await bench.server_pid(other_than=served) != served
