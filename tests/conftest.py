"""What holds for every test: hypothesis profiles, and no silent skips where all programs are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests import figures

# Hundreds of servers are started: none of them need compile the same modules again, as all would where this is set.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile(
    "default",
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
"""The same examples in every run of the same tests; ``full`` looks for new ones."""
settings.register_profile(
    "full", deadline=None, max_examples=1_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "mutation",
    deadline=None,
    max_examples=60,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
"""The same verdict in every run, and no time spent on making a failure small."""
settings.load_profile(os.environ.get("COEDITOR_HYPOTHESIS", "default"))


def _turn(nodeid: str) -> int:
    if nodeid.startswith("tests/e2e/vscode/"):
        return 0 if "PYTEST_XDIST_WORKER" in os.environ else 2
    return 3 if nodeid.startswith("tests/e2e/") else 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What drives whole programs comes after what is quick. Of two processes one begins with the window of VS Code:
    it is the longest row of tests that only one can run, and whichever comes last keeps the other waiting."""
    items.sort(key=lambda item: _turn(item.nodeid))
    if os.environ.get("COEDITOR_HYPOTHESIS") == "mutation":
        items.sort(key=lambda item: hasattr(getattr(item, "obj", None), "hypothesis"))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """A report with half of a character in it is one of a failed test, and not the end of the run: no process could
    send it to another as it is."""
    return _sendable((yield))


def _sendable(report: object) -> object:
    if isinstance(report, str):
        return report.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(report, dict):
        return {_sendable(key): _sendable(value) for key, value in report.items()}
    if isinstance(report, list | tuple):
        return type(report)(map(_sendable, report))
    return report


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What an earlier test left in a cache must not answer for code that was changed since."""
    if os.environ.get("COEDITOR_HYPOTHESIS") == "mutation":
        for name, module in list(sys.modules.items()):
            if name.startswith(("lsp_server.", "editor_clients.", "ledger.")):
                for value in list(vars(module).values()):
                    if callable(clear := getattr(value, "cache_clear", None)):
                        clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Bad inputs are counted."""
    yield from figures.counting(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The figures of faults, bad inputs and load, above the closing line."""
    reports = [one for found in terminalreporter.stats.values() for one in found]
    properties = [
        each
        for report in reports
        if getattr(report, "when", "") == "call"
        for each in getattr(report, "user_properties", ())
    ]
    if lines := figures.lines_of(properties):
        terminalreporter.section("what was held, survived and tried")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):  # type: ignore[no-untyped-def]
    """Each file's tests run in one process, and so do all that share the one window of VS Code."""
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class Scheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            folder = "tests/e2e/vscode/"
            return folder if nodeid.startswith(folder) else str(super()._split_scope(nodeid))

    return Scheduling(config, log)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """Where skips are forbidden (all programs are installed), a skip is a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("COEDITOR_FORBID_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, although skips are forbidden here: {report.longrepr}"
