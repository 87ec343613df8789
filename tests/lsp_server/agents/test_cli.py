"""The command line's door: what is printed where, and with which exit code."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lsp_server import __main__, paths
from lsp_server.agents import cli
from lsp_server.agents.cli_colors import colored
from lsp_server.agents.cli_parser import CONTEXT, command_of, parse
from lsp_server.wire import results
from lsp_server.wire.params import Param, Tool
from lsp_server.wire.tools import BY_NAME, TOOLS

ROOT = Path(__main__.__file__).parent.parent
AGENT_VARIABLES = (
    "COEDITOR_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "GEMINI_SESSION_ID",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a server over the small service, and the environment that leads to it."""
    root = tmp_path_factory.mktemp("work")
    home = tmp_path_factory.mktemp("home")
    environment = {"XDG_STATE_HOME": str(home / "state"), "XDG_RUNTIME_DIR": str(home)}
    whole = {**os.environ, **environment}
    folder = paths.folder_of(str(root), whole)
    command = [
        sys.executable,
        "-m",
        "tests.lsp_server.agents.small_server",
        "--headless",
        "--root",
        str(root),
    ]
    with subprocess.Popen(command, env=whole, cwd=ROOT, stderr=subprocess.DEVNULL) as server:
        until(Path(folder.run("server.json")).exists)
        yield root, environment
        server.send_signal(signal.SIGTERM)


@pytest.fixture
def work(served: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The served folder, with the process in it and nothing of the real agent's."""
    root, environment = served
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(root)
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    return root


class Console:
    """Runs command lines in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capture = capture
        self._monkeypatch = monkeypatch
        self.code = 0
        self.out = ""
        self.err = ""

    def run(self, *words: str, stdin: bytes = b"") -> Console:
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        try:
            self.code = __main__.main(list(words))
        except SystemExit as exit_:
            self.code = int(exit_.code or 0)
        self.out, self.err = self._capture.readouterr()
        return self

    def json(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run(*words, "--json").out)
        return found


@pytest.fixture
def console(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    return Console(capfd, monkeypatch)


def test_a_read_prints_the_numbered_lines(work: Path, console: Console) -> None:
    assert console.run("read", "a.py").out == "1\tx = 1\n"
    assert (console.code, console.err) == (0, "")


def test_json_is_the_object_of_the_other_doors(work: Path, console: Console) -> None:
    found = console.json("read", "--file-path", "a.py")
    Draft202012Validator(results.closed(results.READ)).validate(found)
    assert console.err == ""


def test_what_one_call_read_the_next_may_edit(work: Path, console: Console) -> None:
    console.run("read", "a.py")
    assert console.run("edit", "a.py", "1", "2").code == 0
    assert console.out.startswith("Applied as e1: update ")
    assert (work / "a.py").read_text(encoding="utf-8") == "x = 2\n"


def test_another_session_has_not_read_it(work: Path, console: Console) -> None:
    console.run("read", "a.py", "--session", "one")
    console.run("edit", "a.py", "1", "2", "--session", "two")
    assert console.code == 1
    assert console.run("edit", "a.py", "1", "2", "--session", "one", "--scope", "sub").code == 1
    assert console.run("edit", "a.py", "1", "2", "--session", "one").code == 0


def test_a_refusal_is_one_sentence_with_the_remedy_and_what_it_shows(work: Path, console: Console) -> None:
    console.run("edit", "a.py", "x", "y", "--session", "new")
    assert console.code == 1
    assert console.err.startswith("coeditor: ")
    assert console.err.endswith("(FS_STALE_VERSION)\n")
    assert console.err.count("\n") == 1
    assert "send it again" in console.err
    assert console.out == "moved by: another process\nthe current lines:\n1\tx = 1\n"


def test_a_refusal_as_json_is_the_error_object(work: Path, console: Console) -> None:
    found = console.json("edit", "a.py", "x", "y", "--session", "new")
    Draft202012Validator(results.closed(results.error_schema())).validate(found)
    assert (console.code, console.err, found["code"]) == (1, "", "FS_STALE_VERSION")


@pytest.mark.parametrize(
    "words", [["read"], ["write", "a.py"], ["edit", "a.py", "x"], ["read", "a.py", "--limit", "0"]]
)
def test_a_missing_or_wrong_argument_is_an_error_object(
    work: Path, console: Console, words: list[str]
) -> None:
    assert console.json(*words)["code"] == "INVALID_ARGUMENT"
    assert console.code == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["reed"],
        ["read", "a.py", "--no-such"],
        ["read", "a.py", "--limit", "many"],
        ["read", "a.py", "--file-path", "b.py"],
        ["diagnostics", "--severity", "bad"],
        ["write", "a.py", "x", "--stdin"],
        ["write", "a.py", "--content-file", "nowhere"],
        ["write", "a.py", "--content-file", "latin"],
        ["review", "undo"],
        ["report", "--what"],
    ],
)
def test_wrong_usage_is_exit_code_2_and_changes_nothing(
    work: Path, console: Console, words: list[str]
) -> None:
    (work / "latin").write_bytes(b"caf\xe9")
    assert console.run(*words).code == 2
    assert console.out == ""
    assert console.err
    assert (work / "a.py").read_text(encoding="utf-8") == "x = 1\n"


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["write", "n.txt", "one\r\ntwo"], b""),
        (["write", "n.txt", "--content", "one\r\ntwo"], b""),
        (["write", "n.txt", "-"], b"one\r\ntwo"),
        (["write", "n.txt", "--content", "-"], b"one\r\ntwo"),
        (["write", "n.txt", "--stdin"], b"one\r\ntwo"),
        (["write", "n.txt", "--content-file", "-"], b"one\r\ntwo"),
        (["write", "--content-file", "source", "n.txt"], b""),
    ],
)
def test_a_text_comes_byte_for_byte_from_wherever_it_is(
    work: Path, console: Console, words: list[str], stdin: bytes
) -> None:
    (work / "source").write_bytes(b"one\r\ntwo")
    assert console.run(*words, stdin=stdin).code == 0
    assert (work / "n.txt").read_bytes() == b"one\r\ntwo"


def test_old_and_new_text_come_from_files(work: Path, console: Console) -> None:
    (work / "old").write_text("x = 1", encoding="utf-8")
    console.run("read", "a.py")
    assert console.run("edit", "a.py", "--old-file", "old", "--new-file", "-", stdin=b"y = 'a'").code == 0
    assert (work / "a.py").read_text(encoding="utf-8") == "y = 'a'\n"


def test_a_dash_is_a_text_like_any_other_where_it_can_be_meant(work: Path, console: Console) -> None:
    (work / "a.py").write_text("a - b\n", encoding="utf-8")
    console.run("read", "a.py")
    assert console.run("edit", "a.py", "-", "+").code == 0
    assert (work / "a.py").read_text(encoding="utf-8") == "a + b\n"


def test_another_folder_can_be_taken_for_the_current_one(
    work: Path, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert console.run("read", "a.py", "--cwd", str(work)).out == "1\tx = 1\n"


def test_without_any_server_the_exit_code_is_3(
    work: Path, console: Console, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "coeditor").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert console.json("read", "a.py")["code"] == "NO_SERVER"
    assert console.code == 3


def started(work: Path, *words: str) -> subprocess.Popen[bytes]:
    """Whoever runs the tests in the background has them, and so this process, ignore an interrupt."""
    return subprocess.Popen(
        [sys.executable, "-m", "lsp_server", *words, "--cwd", str(work)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def test_an_interrupted_call_is_exit_code_130(work: Path) -> None:
    with started(work, "status", "--json") as process:
        until(lambda: holds_a_socket(process.pid))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def holds_a_socket(pid: int) -> bool:
    """Whether the process is connected."""
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if os.readlink(each).startswith("socket:"):
                return True
    return False


def test_a_reader_that_leaves_early_is_no_error(work: Path) -> None:
    (work / "long").write_text("line\n" * 100_000, encoding="utf-8")
    with started(work, "read", "long") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("redirect", "code", "said"), [(">/dev/full", 1, b"could not be written"), (">&-", 0, b"")]
)
def test_an_answer_that_cannot_be_written_does_not_unmake_what_was_done(
    work: Path, redirect: str, code: int, said: bytes
) -> None:
    command = f'exec "$0" -m lsp_server write new.txt hello --cwd "$1" {redirect}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(work)], cwd=ROOT, stderr=subprocess.PIPE, timeout=60
    )
    assert done.returncode == code
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
    assert (work / "new.txt").read_bytes() == b"hello"


def test_a_current_folder_that_is_gone_is_told(work: Path) -> None:
    gone = work / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$1" && exec "$0" -m lsp_server read a.py', sys.executable, str(gone)],
        cwd=gone,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == b"coeditor: the current folder is not there any more; go to another one.\n"


# ---------------------------------------------------------------- grammar


def sample(param: Param) -> tuple[list[str], object]:
    """Words for one parameter, and the value they mean."""
    if param.kind == "integer":
        return ["3"], 3
    if param.kind == "boolean":
        return [], True
    if param.kind == "strings":
        return ["a", "b"], ["a", "b"]
    value = param.choices[0] if param.choices else "text"
    return [value], value


@pytest.mark.parametrize(
    ("tool", "param"),
    [(tool, param) for tool in TOOLS for param in tool.params if param.name not in CONTEXT],
)
def test_every_parameter_has_a_flag_in_both_spellings(tool: Tool, param: Param) -> None:
    words, value = sample(param)
    for flag in (f"--{param.name}", f"--{param.name.replace('_', '-')}"):
        asked = parse([command_of(tool.name), flag, *words])
        assert cli.arguments_of(asked) == {param.name: value}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_explains_itself(tool: Tool, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse([command_of(tool.name), "--help"])
    assert caught.value.code == 0
    assert tool.title in capsys.readouterr().out


def test_places_and_flags_may_be_mixed() -> None:
    asked = parse(["edit", "a.py", "--json", "old", "--scope", "s", "new"])
    assert cli.arguments_of(asked) == {"file_path": "a.py", "old_string": "old", "new_string": "new"}
    assert (asked.json, asked.scope) == (True, "s")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["read", "--", "-rf"], {"file_path": "-rf"}),
        (["read", "--limit", "5", "--", "--json"], {"file_path": "--json", "limit": 5}),
        (
            ["edit", "--json", "--", "a", "-x", "--"],
            {"file_path": "a", "old_string": "-x", "new_string": "--"},
        ),
        (["edit", "a", "--", "-x", "-y"], {"file_path": "a", "old_string": "-x", "new_string": "-y"}),
    ],
)
def test_what_stands_behind_two_dashes_is_no_flag(words: list[str], found: dict[str, object]) -> None:
    assert cli.arguments_of(parse(words)) == found


def test_help_lists_every_tool(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    shown = capsys.readouterr().out
    for tool in BY_NAME.values():
        assert f"\n    {command_of(tool.name)}" in shown


def test_colours_change_no_character() -> None:
    text = "Applied as e1: update a\n@@ -1 +1 @@\n-a\n+b\n12\tx\n[coeditor: warning: w]\n\na:1:2 error m\n"
    assert colored(text).plain == text
    assert {str(span.style) for span in colored(text).spans} >= {"green", "red", "cyan", "dim", "yellow"}


def test_the_way_to_the_relay_loads_nothing_else() -> None:
    code = (
        "import sys, lsp_server.__main__; print(sorted({'argparse', 'asyncio', 'json'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout == "[]\n"
