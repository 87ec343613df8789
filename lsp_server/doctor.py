"""``coeditor doctor``: finds what is wrong for this folder, says the remedy, and repairs what it is told to.

Never: a change without ``--repair``, or of a user's file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from ledger.errors import CoeditorError
from lsp_server import __version__, paths
from lsp_server.agents.link import connect_cli
from lsp_server.agents.owner import read_record
from lsp_server.paths import Folder
from lsp_server.settings import files, from_environment

_USAGE = "usage: coeditor doctor [--repair] [--agents] [--json]"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong."""

    what: str
    """A sentence."""
    remedy: str
    """The next step, in a sentence."""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What was looked at."""

    facts: tuple[tuple[str, str], ...]
    """Name and value, for people."""
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Nothing is left to do."""
        return all(finding.repaired for finding in self.findings)


def main(arguments: Sequence[str]) -> int:
    """0 when nothing is wrong (any more), 1 with findings, 2 for words that are not understood."""
    if unknown := [word for word in arguments if word not in ("--repair", "--agents", "--json")]:
        print(f"coeditor doctor: unknown argument {unknown[0]!r}. {_USAGE}", file=sys.stderr)
        return 2
    report = examine(os.getcwd(), repair="--repair" in arguments, agents="--agents" in arguments)
    if "--json" in arguments:
        print(json.dumps({"ok": report.healthy, **asdict(report)}, ensure_ascii=False))
    else:
        _print(report)
    return 0 if report.healthy else 1


_CORRECT: Final = "Correct or remove that setting."
_AFTER_DAMAGE: Final = "Nothing needs to be done: work goes on, and this is told once."


def examine(cwd: str, *, repair: bool, agents: bool = False) -> Report:
    """Look at everything that an edit in ``cwd`` needs; ``agents`` also starts agents' programs for their versions."""
    root = paths.workspace_root(cwd)
    facts = [("coeditor", __version__), ("python", sys.version.split()[0]), ("workspace folder", root)]
    findings: list[Finding] = []
    try:
        folder = paths.folder_of(root)
        folder.make()
    except CoeditorError as error:
        what = error.message.removesuffix(paths.OTHER_FOLDERS).rstrip()
        return Report(tuple(facts), (Finding(what, paths.OTHER_FOLDERS),))
    facts.append(("state", folder.state))
    facts.append(("log", folder.log))
    findings += [Finding(problem, _CORRECT) for problem in from_environment(root).problems]
    findings += _journals(folder, repair=repair)
    server, trouble = _server(folder, cwd)
    facts += server
    findings += [one for one in trouble if all(one.what != other.what for other in findings)]
    told, troubles = _agents(root, versions=agents)
    facts += told
    findings += troubles
    facts.append(("language servers", ", ".join(_language_servers(root)) or "none is installed"))
    return Report(tuple(facts), tuple(findings))


def _journals(folder: Folder, *, repair: bool) -> Iterator[Finding]:
    """Changes of several files that a crash left behind and that cannot be finished."""
    from editor_clients.recovery import recover, set_aside
    from editor_clients.walls import Walls

    for item in recover(folder.transactions, Walls([folder.root])):
        if item.outcome != "blocked":
            continue
        what = item.problem or f"The unfinished change {item.name} cannot be completed."
        if repair:
            kept = set_aside(folder.transactions, item.name)
            yield Finding(what, f"It was set aside in {kept}.", repaired=True)
        else:
            yield Finding(what, "Look at the files that it names, then run coeditor doctor --repair.")


def _server(folder: Folder, cwd: str) -> tuple[list[tuple[str, str]], list[Finding]]:
    """Is there a server, or can one be started, and does it answer?"""
    before = read_record(folder)
    try:
        caller = connect_cli(cwd, "doctor")
    except CoeditorError as error:
        return [], [Finding(error.message, f"Read the end of {folder.log}.")]
    try:
        status = caller.call("status", {})
    except CoeditorError as error:
        return [], [Finding(error.message, f"Read the end of {folder.log}.")]
    finally:
        caller.close()
    server = status["server"]
    how = "was running" if before is not None and before.pid == server["pid"] else "was started for this"
    if before is not None and before.pid != server["pid"]:
        how += f", since process {before.pid} of the discovery file is gone"
    facts = [("server", f"{server['kind']}, version {server['version']}, process {server['pid']}, {how}")]
    facts.append(("discovery file", folder.run("server.json")))
    facts.append(("editor", _editor(status.get("editor"))))
    findings = [Finding(one, _remedy(one, server, folder.root)) for one in status.get("warnings", [])]
    running, failed = _started(status.get("language_servers", []))
    facts.append(("language servers that run", ", ".join(running) or "none at the moment"))
    findings += failed
    if server["version"] != __version__:
        what = f"The server has version {server['version']}, this command {__version__}."
        findings.append(
            Finding(what, "Restart the editor, or end the server; the next call starts a new one.")
        )
    return facts, findings


def _remedy(warning: str, server: Mapping[str, Any], root: str) -> str:
    """For what the server tells; of our settings what we do not find wrong any more."""
    if warning.startswith("The ledger"):
        return _AFTER_DAMAGE
    read_by_us = (
        *(str(path) for path, _, _ in files(root, os.environ)),
        "environment: ",
        "COEDITOR_SETTINGS ",
    )
    if not warning.startswith(read_by_us) or warning in from_environment(root).problems:
        return _CORRECT
    end = "end it, the next call starts a new one" if server["kind"] == "headless" else "restart the editor"
    return f"It was corrected since, and is still in force in the running server (process {server['pid']}): {end}."


def _editor(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "none is connected"
    can = ", ".join(found.get("can", ())) or "nothing beyond LSP"
    return f"{found['name']} {found['version']}".rstrip() + f", can: {can}"


def _agents(root: str, *, versions: bool) -> tuple[list[tuple[str, str]], list[Finding]]:
    """Agents that are set up, and what is wrong with that."""
    from pathlib import Path

    from lsp_server.setup import check, programs
    from lsp_server.setup.places import Places
    from lsp_server.setup.record import Kept

    closed = from_environment(root).hook_failure == "closed"
    facts, troubles = check.examine(Places(Path.home(), Path(root), os.environ, fails_closed=closed), Kept())
    if versions:
        facts += programs.versions()
    return facts, [Finding(one.what, one.remedy) for one in troubles]


def _started(servers: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Finding]]:
    """Those language servers that run, and what is wrong with those that were started and do not."""
    running = [f"{one['name']} (process {one['pid']})" for one in servers if one.get("running")]
    remedy = "Repair its installation, or turn it off in the setting language_servers."
    return running, [Finding(str(one["failure"]), remedy) for one in servers if one.get("failure")]


def _language_servers(root: str) -> list[str]:
    from editor_clients.language_specs import find_program, with_overrides

    specs, _ = with_overrides(from_environment(root).language_servers)
    return [spec.name for spec in specs if spec.enabled and find_program(spec.command[0], root) is not None]


def _print(report: Report) -> None:
    for name, value in report.facts:
        print(f"{name}: {value}")
    print()
    for finding in report.findings:
        mark = "repaired" if finding.repaired else "wrong"
        print(f"{mark}: {finding.what}\n  {finding.remedy}")
    if not report.findings:
        print("Nothing is wrong.")
