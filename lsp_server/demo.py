"""``coeditor demo``: two agents, somebody else and a person who types, on a small real project.

The agents come through the real MCP door, the person sits at an editor that speaks LSP.

Everything shown is what really happened: real processes, real files, a real language server. The demo ends with
exit code 1 at the first step that does not hold.

Never: an answer that was not received.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.rule import Rule
from rich.syntax import Syntax

from lsp_server.demo_editor import DemoEditor

STOCK = '''"""What is in the pantry."""


def total(prices: list[float]) -> float:
    result = 0.0
    for price in prices:
        result += price
    return result


def label(name: str, count: int) -> str:
    return f"{count} x {name}"
'''

SOMEBODY = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text(path.read_text().replace("in the pantry.", "in the pantry, and its price."))
"""


class StepError(Exception):
    """A step of the demo did not hold."""


class Agent:
    """One agent's end of ``coeditor mcp``: a process of its own, spoken to in MCP over its pipes."""

    def __init__(self, name: str, folder: Path, environment: dict[str, str]) -> None:
        self.name = name
        self._next = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lsp_server", "mcp"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": f"demo-{name}", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result object, or the error object."""
        answer = self._request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            raise StepError(f"the door answered a protocol error: {answer['error']}")
        found: dict[str, Any] = answer["result"]["structuredContent"]
        return found

    def close(self) -> None:
        """Hang up, as an agent that ends does."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._next:
                return message
        raise StepError("coeditor mcp ended without an answer")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


class Stage:
    """Prints the steps and checks them."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.steps = 0
        self.checks = 0

    def step(self, title: str) -> None:
        """Head the next step; they are counted."""
        self.steps += 1
        self.console.print()
        self.console.print(Rule(f"[bold]{self.steps}. {title}[/]", align="left", style="dim"))

    def says(self, who: str, what: str) -> None:
        """Print what one of the parties does."""
        self.console.print(f"[cyan]{who}[/] {escape(what)}")

    def diff(self, text: str) -> None:
        """Print a diff, without git's own lines."""
        body = "\n".join(line for line in text.split("\n") if not line.startswith(("diff --git", "index ")))
        self.console.print(Syntax(body, "diff", theme="ansi_dark", background_color="default"))

    def holds(self, good: bool, what: str, got: object = None) -> None:
        """Print that ``what`` is so. Errors: StepError, with ``got``, when it is not ``good``."""
        if not good:
            self.console.print(f"[red]✗ {escape(what)}[/]")
            raise StepError(f"{what}: got {json.dumps(got, ensure_ascii=False, default=str)[:2000]}")
        self.checks += 1
        self.console.print(f"[green]✓[/] {escape(what)}")


def main(argv: list[str] | None = None) -> int:
    """Run the demo; 0 when every step held, else 1."""
    if argv:
        print("usage: coeditor demo", file=sys.stderr)
        return 2
    console = Console()
    stage = Stage(console)
    with tempfile.TemporaryDirectory(prefix="coeditor-demo-") as place:
        folder = Path(place) / "pantry"
        folder.mkdir()
        (folder / "stock.py").write_text(STOCK, encoding="utf-8")
        environment = {**os.environ, "XDG_STATE_HOME": f"{place}/state", "XDG_RUNTIME_DIR": f"{place}/run"}
        agents: list[Agent] = []
        editors: list[DemoEditor] = []

        def agent(name: str) -> Agent:
            agents.append(Agent(name, folder, environment))
            return agents[-1]

        def editor() -> DemoEditor:
            editors.append(DemoEditor(folder, environment))
            return editors[-1]

        try:
            _walk(stage, folder, agent)
            _unsaved(stage, folder / "stock.py", agents[0], editor)
        except StepError as failure:
            console.print(f"[red]The demo stopped: {escape(str(failure))}[/]", soft_wrap=True)
            return 1
        finally:
            for window in editors:
                window.close()
            for one in agents:
                one.close()
    console.print()
    console.print(Panel.fit(f"All {stage.checks} checks in {stage.steps} steps held.", style="green"))
    return 0


def _walk(stage: Stage, folder: Path, agent: Callable[[str], Agent]) -> None:
    stock = folder / "stock.py"
    ada, bob = agent("ada"), agent("bob")

    stage.step("Two agents read a file")
    seen = ada.call("read", file_path="stock.py")
    stage.holds(seen.get("total_lines") == 12, "Ada sees 12 numbered lines", seen)
    stage.holds(bob.call("read", file_path="stock.py").get("ok") is True, "Bob reads it too")
    again = ada.call("read", file_path="stock.py")
    stage.holds(again.get("unchanged") is True, "a second read costs Ada nothing: it is unchanged", again)

    stage.step("Somebody else changes it")
    subprocess.run([sys.executable, "-c", SOMEBODY, str(stock)], check=True)
    before = stock.read_bytes()
    stage.says("somebody", "rewrote the first line in another process")

    stage.step("Ada edits from what she read: refused, and told what moved")
    wish = {
        "file_path": "stock.py",
        "old_string": "        result += price",
        "new_string": "        result += round(price, digits)",
    }
    refused = ada.call("edit", **wish)
    stage.holds(refused.get("code") == "FS_STALE_VERSION", "the edit is refused: FS_STALE_VERSION", refused)
    stage.holds(refused["data"]["moved_by"] == "external", "it says who: another process", refused)
    stage.diff(refused["data"]["diff"])
    stage.holds(stock.read_bytes() == before, "the file is as it was, byte for byte")

    stage.step("She sends it again, without another read")
    done = ada.call("edit", **wish)
    stage.holds(done.get("ok") is True, "applied: the refusal showed her what she had to know", done)
    stage.diff(done["diff"])
    new = [item["message"] for item in done.get("diagnostics", {}).get("new", [])]
    stage.holds(
        any("digits" in message for message in new),
        f"and the language server's new error comes with it: {new}",
        done,
    )

    stage.step("She repairs it")
    fixed = ada.call(
        "edit", file_path="stock.py", old_string="round(price, digits)", new_string="round(price, 2)"
    )
    stage.holds(fixed.get("ok") is True, "applied, from her own last text", fixed)
    gone = [item["message"] for item in fixed.get("diagnostics", {}).get("resolved", [])]
    stage.holds(any("digits" in message for message in gone), f"resolved: {gone}", fixed)

    _second_agent(stage, stock, ada, bob)


def _second_agent(stage: Stage, stock: Path, ada: Agent, bob: Agent) -> None:
    stage.step("Bob's edit from his old read")
    wish = {"file_path": "stock.py", "old_string": 'f"{count} x {name}"', "new_string": 'f"{name}: {count}"'}
    refused = bob.call("edit", **wish)
    mover = refused.get("data", {}).get("moved_by", "")
    stage.holds(
        mover.startswith("session:"), f"refused, and told that it was another agent ({mover})", refused
    )
    done = bob.call("edit", **wish)
    stage.holds(done.get("ok") is True, "his second try keeps Ada's lines and adds his own", done)

    stage.step("What happened")
    listed = ada.call("history")
    stage.holds(len(listed["edits"]) == 2, "the history has Ada's two edits; refusals are not in it", listed)
    diff = ada.call("diff")["diff"]
    stage.diff(diff)
    wanted = STOCK.replace("pantry.", "pantry, and its price.").replace("+= price", "+= round(price, 2)")
    wanted = wanted.replace('f"{count} x {name}"', 'f"{name}: {count}"')
    stage.holds(
        stock.read_text(encoding="utf-8") == wanted, "the file holds all three changes and nothing else"
    )


def _unsaved(stage: Stage, stock: Path, ada: Agent, open_editor: Callable[[], DemoEditor]) -> None:
    """The second part: a person opens the file in an editor, and types."""
    stage.step("A person opens the file in an editor and types, without saving")
    seen = ada.call("read", file_path="stock.py", refresh=True)
    stage.holds(seen.get("authority") == "disk", "so far Ada read from the disk", seen)
    window = open_editor()
    window.open(stock)
    before = stock.read_bytes()
    status = window.call("status")
    stage.holds(
        status["server"]["kind"] == "editor",
        "the editor's server took the folder over, agents included",
        status,
    )
    typed = "# Ask the cook before you change this.\n"
    window.type("def label", typed)
    stage.says("the person", "typed a comment above label(); it is in the editor only")

    stage.step("Ada edits from what she read: the unsaved line counts")
    wish = {"file_path": "stock.py", "old_string": "    result = 0.0", "new_string": "    result: float = 0"}
    refused = ada.call("edit", **wish)
    stage.holds(refused.get("code") == "FS_UNSAVED_CHANGES", "refused: FS_UNSAVED_CHANGES", refused)
    stage.diff(refused["data"]["diff"])
    seen = ada.call("read", file_path="stock.py", refresh=True)
    stage.holds(
        seen.get("unsaved") is True, "her read shows the person's text, and says that it is unsaved", seen
    )

    stage.step("With the line in view she edits, through the editor")
    done = ada.call("edit", **wish)
    stage.holds(done.get("ok") is True, "applied", done)
    stage.holds(
        typed in window.text and wish["new_string"] in window.text, "the buffer holds both", window.text
    )
    saved = done["changed_files"][0]["saved"]
    stage.holds(saved is False and stock.read_bytes() == before, "nothing was saved for the person")
    window.undo()
    stage.holds(
        typed in window.text and wish["new_string"] not in window.text,
        "one undo takes back exactly Ada's part",
    )
