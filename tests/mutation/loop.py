"""One run over the mutants of a module: tests are collected once, each mutant is a fork that runs those that reach it.

A program of its own, started in the copy of the project: ``loop.py MODULE JOBS TESTS...``. The mutants are those of
``mutmut`` and the verdicts are kept where it keeps its own, but a fork that neither starts pytest nor collects again
judges a mutant in a tenth of the time. Never: an import of the project from anywhere but the mutants.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from mutmut import __main__ as mutmut
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

UNREACHED = 33
"""The verdict of a mutant that no test reaches, as mutmut has it."""
_SOURCES, _BESIDE = ("lsp_server", "editor_clients", "ledger"), ("README.md", "pyproject.toml")
_SECONDS, _BYTES = 4, 4 << 30
"""What one mutant may take before its tests count as not coming to an end, beyond four times what they take."""


class Loop:
    """A plugin that runs the collected tests once for each mutant, not once in all."""

    def __init__(self, verdicts: SourceFileMutationData, jobs: int) -> None:
        self._verdicts, self._jobs = verdicts, jobs
        self._failed = False
        self._reach: dict[str, list[pytest.Item]] = {}
        self._seconds: dict[str, float] = {}
        self._running: dict[int, str] = {}
        self._caches: list[Callable[[], None]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Any phase that fails is a failure."""
        self._failed = self._failed or report.failed
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """The tests as they are, which also tells what they reach, then every mutant without a verdict."""
        set_mutant_under_test("stats")
        for item in session.items:
            state()._stats.clear()
            self._run([item])
            for function in state()._stats:
                self._reach.setdefault(function, []).append(item)
        if self._failed:
            pytest.exit("the tests fail without a mutant", 1)
        self._caches = _caches()
        gc.freeze()
        for mutant in [one for one, code in self._verdicts.exit_code_by_key.items() if code is None]:
            tests = self._reach.get(mangled_name_from_mutant_name(mutant))
            if not tests:
                self._verdicts.exit_code_by_key[mutant] = UNREACHED
                continue
            if len(self._running) == self._jobs:
                self._collect()
            self._start(mutant, sorted(tests, key=lambda one: self._seconds[one.nodeid]))
        while self._running:
            self._collect()
        self._save()
        return True

    def _run(self, items: list[pytest.Item]) -> None:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return

    def _run_quickly(self, items: list[pytest.Item]) -> None:
        """As ``_run``, but a test that wants no fixture is called like the function that it is."""
        for item in items:
            if not isinstance(item, pytest.Function) or _wants_more(item):
                self._run([item])
            else:
                for clear in self._caches:
                    clear()
                try:
                    item.obj(**_parameters(item))
                except (Exception, pytest.fail.Exception):
                    self._failed = True
            if self._failed:
                return

    def _start(self, mutant: str, items: list[pytest.Item]) -> None:
        pid = os.fork()
        if pid:
            self._running[pid] = mutant
            return
        code = 1
        try:
            seconds = _SECONDS + int(4 * sum(self._seconds[one.nodeid] for one in items))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            set_mutant_under_test(mutant)
            self._run_quickly(items)
            code = int(self._failed)
        finally:
            os._exit(code)

    def _collect(self) -> None:
        pid, status = os.wait()
        self._verdicts.exit_code_by_key[self._running.pop(pid)] = os.waitstatus_to_exitcode(status)
        self._save()

    def _save(self) -> None:
        """Whenever the run is stopped, the verdicts so far are there."""
        kept = self._verdicts.meta_path
        self._verdicts.meta_path = kept.with_suffix(".new")
        self._verdicts.save()
        self._verdicts.meta_path.replace(kept)
        self._verdicts.meta_path = kept


def _parameters(item: pytest.Function) -> dict[str, object]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def _wants_more(item: pytest.Function) -> bool:
    """Whether a test has fixtures besides its parameters, or runs in a loop of its own."""
    return bool(
        set(item.fixturenames) - {"event_loop_policy"} - _parameters(item).keys()
    ) or iscoroutinefunction(item.obj)


def _caches() -> list[Callable[[], None]]:
    """What must be forgotten before each test, since it may come from another mutant's code."""
    values = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith(tuple(f"{one}." for one in _SOURCES))
        for value in vars(module).values()
    ]
    return [clear for value in values if callable(clear := getattr(value, "cache_clear", None))]


def mutants_of(module: str) -> SourceFileMutationData:
    """The verdicts on the mutants of ``module``, made anew where their function changed; the project beside them."""
    set_mutant_under_test("mutant_generation")
    for name in _SOURCES:
        shutil.copytree(
            name,
            Path("mutants") / name,
            ignore=lambda folder, names: [one for one in names if str(Path(folder) / one) == module],
            dirs_exist_ok=True,
        )
    for name in _BESIDE:
        shutil.copy2(name, Path("mutants") / name)
    shutil.rmtree("mutants/tests", ignore_errors=True)
    shutil.copytree("tests", "mutants/tests")
    made = mutmut.create_mutants_for_file(Path(module), Path("mutants") / module)
    if made.error is not None:
        raise made.error
    verdicts = SourceFileMutationData(path=Path(module))
    verdicts.meta_path = verdicts.meta_path.absolute()
    verdicts.load()
    return verdicts


def main(module: str, jobs: str, *tests: str) -> int:
    """Judge what has no verdict among the mutants of ``module`` in the current folder; 0 when all have one."""
    verdicts = mutants_of(module)
    if None not in verdicts.exit_code_by_key.values():
        return 0
    os.chdir("mutants")
    sys.path[0] = str(Path.cwd())
    arguments = ("--rootdir=.", "-q", "-n0", "-p", "no:cacheprovider", "--timeout=300", "--tb=native")
    return int(pytest.main([*arguments, *tests], [Loop(verdicts, int(jobs))]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
