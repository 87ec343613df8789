"""Odd texts stay byte for byte what they were, and the person's place in a long file stays theirs."""

from __future__ import annotations

import random

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

TEXTS = {
    "formfeed": b"one\x0c\ntwo\x0cstill two\nthree\n",
    "u2028": "one\u2028still one\ntwo\u2029\x85\nthree\n".encode(),
    "emoji": "one 😀 é e\u0301\ntwo 👩‍👩‍👧\nthree\n".encode(),
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "bom": b"\xef\xbb\xbfone\ntwo\nthree\n",
    "no-final-newline": b"one\ntwo\nthree",
}
PIECES = ("", "x", "\n", "two\nlines", "😀", "\u2028", "\x0c", "tab\t", "é")


@pytest.mark.parametrize("kind", TEXTS)
async def test_edit_changes_exactly_the_asked_bytes(bench: Workbench, kind: str) -> None:
    path = bench.place.folder / f"{kind}.txt"
    path.write_bytes(TEXTS[kind])
    await bench.open(path.name)
    async with agent(bench.place) as one:
        await one.call("read", file_path=path.name)
        done = await one.call("edit", file_path=path.name, old_string="three", new_string="3\nmore")
    assert done["ok"] is True, done
    assert done["changed_files"][0]["saved"] is True
    ending = b"\r\n" if kind == "crlf" else b"\n"
    assert path.read_bytes() == TEXTS[kind].replace(b"three", b"3" + ending + b"more")


@pytest.mark.parametrize("kind", TEXTS)
async def test_mirror_is_the_editors_text_after_random_changes(bench: Workbench, kind: str) -> None:
    path = bench.place.folder / f"random-{kind}.txt"
    path.write_bytes(TEXTS[kind] + b"\n" * 40 + b"mark\n")
    await bench.open(path.name)
    chance = random.Random(kind)
    lines = [len(line) for line in (await bench.text(path.name)).replace("\r\n", "\n").split("\n")]
    for _ in range(25):
        # Wherever this falls outside the text, VS Code clamps it.
        first = chance.randrange(min(3, len(lines)))
        start = chance.randrange(lines[first] + 1)
        last = min(first + chance.randrange(2), 2)
        end = start + chance.randrange(3) if last == first else chance.randrange(3)
        await bench.edit(path.name, ((first, start, last, end), chance.choice(PIECES)))
    await bench.edit(path.name, ((0, 0, 0, 0), "last: "))
    async with agent(bench.place) as one:

        async def read_until_there() -> None:
            seen = await one.call("read", file_path=path.name, refresh=True)
            while "last: " not in seen["text"]:
                seen = await one.call("read", file_path=path.name, refresh=True)

        await read_until_there()
        before = await bench.text(path.name)
        # The editor compares the whole text's hash with the mirror's before it applies this.
        done = await one.call("edit", file_path=path.name, old_string="mark", new_string="MARK")
    assert done["ok"] is True, done
    assert await bench.text(path.name) == before.replace("mark", "MARK")


async def test_cursor_fold_and_breakpoint_stay_with_their_text(bench: Workbench) -> None:
    functions = "".join(f"function f{number}() {{\n  return {number};\n}}\n" for number in range(400))
    path = str(bench.place.write("long.js", functions))
    await bench.open("long.js", line=897)  # counted from 0; there stands "function f299() {"
    await bench.command("editor.fold", {"selectionLines": [897]})
    await bench.until("long.js", folds=[[897, 899]])
    await bench.host("setBreakpoint", path=path, line=900)
    await bench.open("long.js", line=902)
    async with agent(bench.place) as one:
        await one.call("read", file_path="long.js")
        same = await one.call("edit", file_path="long.js", old_string="return 0;", new_string="return 1000;")
        assert same["ok"] is True, same
        await bench.until("long.js", contains="return 1000;", cursor=[902, 0], folds=[[897, 899]])
        await bench.until("long.js", breakpoints=[900])

        new = "  // Two\n  // more.\n  return 1000;\n"
        longer = await one.call("edit", file_path="long.js", old_string="  return 1000;\n", new_string=new)
        assert longer["ok"] is True, longer
        await bench.until("long.js", contains="// more.", cursor=[904, 0], folds=[[899, 901]])
        await bench.until("long.js", breakpoints=[902])
