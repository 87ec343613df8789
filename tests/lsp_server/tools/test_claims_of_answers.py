"""What answers showed a model, line by line, against what the ledger says that it was shown.

A model is kept of what a scope read off its answers: numbered lines of reads and refusals, rows of grep, lines of
diffs. After every step each line that the ledger claims as shown at the current text must be one of those, byte for
byte, or one that the scope wrote itself.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import CoeditorError
from ledger.session import Present
from ledger.types import Caller, ScopeKey, TargetKey, token_of
from lsp_server.app import App, build
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge

SCOPES = ("main", "sub")
LINES = 24

steps = st.one_of(
    st.tuples(st.just("read"), st.sampled_from(SCOPES), st.integers(1, LINES), st.integers(1, 12)),
    st.tuples(st.just("edit"), st.sampled_from(SCOPES), st.integers(1, LINES), st.integers(0, 3)),
    st.tuples(st.just("write"), st.sampled_from(SCOPES), st.integers(1, LINES), st.integers(1, 3)),
    st.tuples(st.just("grep"), st.sampled_from(SCOPES), st.integers(0, 9), st.integers(0, 2)),
    st.tuples(st.just("types"), st.sampled_from(SCOPES), st.integers(1, LINES), st.integers(0, 3)),
    st.tuples(st.just("changed"), st.sampled_from(SCOPES), st.integers(1, LINES), st.integers(1, 20)),
)


def shown_in(answer: Any) -> Iterator[str]:
    """Every line of a file that stands in an answer, wherever."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name == "diff" and isinstance(value, str):
                yield from (row[1:] for row in value.split("\n") if row[:1] in (" ", "+", "-"))
            elif name in ("text", "lines") and isinstance(value, str):
                yield value
                yield from re.findall(r"^\d+\t(.*)$", value, re.MULTILINE)
            else:
                yield from shown_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from shown_in(value)
    elif isinstance(answer, str):
        yield answer


class World:
    """One file, two scopes, and somebody else."""

    def __init__(self, root: Path, app: App) -> None:
        self.path = root / "f"
        self.app = app
        self.count = 0
        self.known: dict[str, set[str]] = {scope: set() for scope in SCOPES}
        """Lines that each scope has met in an answer, or sent."""
        self.path.write_text("".join(self.fresh() for _ in range(LINES)))

    def fresh(self) -> str:
        self.count += 1
        return f"line number {self.count}\n"

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines(keepends=True)

    async def call(self, scope: str, tool: str, **arguments: Any) -> None:
        caller = Caller(ScopeKey("s", scope), f"c{self.count}")
        context = CallContext(caller, "mcp", str(self.path.parent))
        for sent in ("old_string", "new_string", "content"):
            self.known[scope] |= set(str(arguments.get(sent, "")).split("\n"))
        try:
            answer = await self.app.call(tool, arguments, context)
        except CoeditorError as error:
            answer = error.to_object()
        self.known[scope] |= set(shown_in(answer))

    async def take(self, what: str, scope: str, at: int, size: int) -> None:
        lines = self.lines()
        at = min(at, len(lines))
        new = "".join(self.fresh() for _ in range(size))
        if what == "read":
            await self.call(scope, "read", file_path="f", offset=at, limit=size)
        elif what == "changed":
            await self.call(scope, "read", file_path="f", offset=1, limit=size, changed_only=True)
        elif what == "grep":
            await self.call(scope, "grep", pattern=f"{at}$", context=size)
        elif what == "write":
            await self.call(scope, "write", file_path="f", content=new)
        elif what == "edit":
            # Half of a line: the rest is known only if it was shown.
            whole = lines[at - 1].rstrip("\n")
            old, sent = whole.removeprefix("line "), "changed " + new.rstrip("\n")
            if whole in self.known[scope]:
                # What it makes of a line that it has before it, it can tell by itself.
                self.known[scope] |= set(whole.replace(old, sent).split("\n"))
            await self.call(scope, "edit", file_path="f", old_string=old, new_string=sent)
        else:
            lines[at - 1 : at - 1 + size] = [self.fresh()]
            self.path.write_text("".join(lines))

    def check(self) -> None:
        text = self.path.read_text()
        lines = text.splitlines()
        for scope in SCOPES:
            seen = self.app.workspace.ledger.observation(ScopeKey("s", scope), TargetKey(str(self.path)))
            if not isinstance(seen, Present) or seen.token != token_of(text):
                continue
            assert seen.shown.includes(seen.read)
            for first, last in seen.shown:
                for number in range(first, last + 1):
                    assert lines[number - 1] in self.known[scope], (scope, number, lines[number - 1])


@given(st.lists(steps, min_size=1, max_size=12), st.sampled_from([120, 20_000]), st.sampled_from([3, 40]))
@settings(max_examples=max(40, settings().max_examples // 4), suppress_health_check=list(HealthCheck))
def test_nothing_is_claimed_that_no_answer_showed(
    plan: list[tuple[str, str, int, int]], diff_chars: int, refusal_lines: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        for name in ("ws", "run", "state", "config"):
            (base / name).mkdir(mode=0o700)
        patch.setenv("XDG_RUNTIME_DIR", str(base / "run"))
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        patch.setenv("XDG_CONFIG_HOME", str(base / "config"))
        limits = {"diff_chars": diff_chars, "refusal_lines": refusal_lines}
        chosen = merge(
            Settings(),
            {"side_effects": {"diagnostics": False}, "limits": limits, "durability": "fast"},
            "user",
        )

        async def run() -> None:
            app = build(str(base / "ws"), settings=chosen)
            try:
                world = World(base / "ws", app)
                for step in plan:
                    await world.take(*step)
                    world.check()
            finally:
                await app.close()

        asyncio.run(run())
