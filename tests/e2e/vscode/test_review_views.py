"""What agents changed is seen, kept and undone in the window: in the view, above the lines, and on hover."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

VIEW = '[id="workbench.view.extension.coeditor"]'
STATUS = '.statusbar-item[id="coeditor.coeditor.coeditor.status"]'
EDITOR = ".editor-group-container.active"
LENS = f"{EDITOR} .codelens-decoration a"
LINES = "".join(f"line {number}\n" for number in range(1, 31))
SUM = "    return sum(item.price for item in items)\n"
ROUNDED = "    prices = [item.price for item in items]\n    return round(sum(prices), 2)\n"
OLD = "\n\ndef shout(name):\n    return name.upper()\n"
HEAD = 'def total(items):\n    """The price of all items."""\n'
PRICES = f'{HEAD}{SUM}\n\ndef greeting(name):\n    return f"Hello {{name}}"\n{OLD}'
CHECK = "assert total([Item(1), Item(2)]) == 3\n"


def row(text: str) -> str:
    return f'{VIEW} .monaco-list-row[aria-label*="{text}"]'


async def edit(one: Agent, name: str, old: str, new: str, turn: str) -> None:
    await one.call("read", file_path=name)
    done = await one.call("edit", {"turn": turn}, file_path=name, old_string=old, new_string=new)
    assert done["ok"] is True, done


async def seen_in(bench: Workbench) -> None:
    """The view is shown, and what earlier tests left is looked at."""
    await bench.command("coeditor.refreshReview")
    await bench.command("coeditor.keepAll")
    await bench.command("workbench.view.explorer")
    await bench.click('.activitybar .action-item:has(a[aria-label^="Coeditor"]):not(.checked)')
    await bench.wait(f'{VIEW} :text("No change of an agent waits for you.")')


async def test_changes_are_seen_kept_and_undone(bench: Workbench) -> None:
    bench.place.write("shop/prices.py", PRICES)
    checks = bench.place.write("shop/checks.py", CHECK)
    await bench.open("shop/prices.py")
    await seen_in(bench)
    async with agent(bench.place, name="Claude") as one:
        await edit(one, "shop/prices.py", SUM, ROUNDED, "1")
        await edit(one, "shop/prices.py", OLD, "", "1")
        await edit(one, "shop/checks.py", CHECK, CHECK.replace("1", "0.1"), "2")
        made = await one.call(
            "write", {"turn": "2"}, file_path="shop/notes.md", content="Prices are rounded.\n"
        )
        assert made["ok"] is True, made
        await bench.wait(row("Claude, turn 2: 2 files, 2 lines added, 1 removed"))
        await bench.wait(row("Claude, turn 1: 1 file"))
        await bench.wait(row("prices.py in shop, 2 lines added, 5 removed"))
        await bench.wait(f'{STATUS}:has-text("1 agent, 4 changes")')
        await bench.wait(f'{LENS}:has-text("Keep")')

        # What it has read, with the keyboard.
        await bench.click(row("Claude, session"))
        await bench.press("ArrowRight")
        await bench.wait(row("prices.py, seen: all of it"))
        await bench.picture("review-view", upper=True)

    # Hunk by hunk: from the hover, and from the lens.
    await bench.hover(f'{EDITOR} .view-line:has-text("prices = ") span span')
    await bench.wait('.monaco-hover:visible:has-text("Claude, turn 1")')
    await bench.picture("review-hover")
    await bench.click('.monaco-hover a:has-text("Keep")')
    await bench.wait(row("prices.py in shop, 0 lines added, 4 removed"))
    await bench.wait(f'{LENS}:has-text("(+2 −1)")', "detached")
    await bench.click(f'{LENS}:has-text("Undo")')
    await bench.until("shop/prices.py", text=PRICES.replace(SUM, ROUNDED), dirty=False)
    await bench.wait(row("turn 1"), "detached")
    await bench.wait(LENS, "detached")

    # The turn: in one diff editor, then undone as a whole.
    turn = row("turn 2")
    await bench.hover(turn)
    await bench.click(f'{turn} a.action-label[aria-label="Show All Changes of a Turn"]')
    await bench.wait(".multiDiffEntry .modified .view-line:has-text('Item(0.1)')")
    await bench.wait(".multiDiffEntry .modified .view-line:has-text('rounded')")
    await bench.picture("review-turn", upper=True)
    await bench.click(turn)
    await bench.press("Delete")
    await bench.wait('.monaco-dialog-box:has-text("Undo 2 changes of agents in 2 files?")')
    await bench.click('.monaco-dialog-box .monaco-button:text-is("Undo")')
    await bench.wait(f'{VIEW} :text("No change of an agent waits for you.")')
    assert checks.read_text() == CHECK
    assert not (bench.place.folder / "shop/notes.md").exists()


async def test_a_conflict_is_shown_with_all_three_texts_until_the_person_has_decided(
    bench: Workbench,
) -> None:
    path = bench.place.write("seen/clash.md", LINES)
    await bench.open("seen/clash.md")
    await seen_in(bench)
    async with agent(bench.place, name="Claude") as one:
        await one.call("read", file_path="seen/clash.md")
        await bench.edit("seen/clash.md", ((1, 0, 1, 6), "MINE"))
        await server_sees(one, "seen/clash.md", "MINE")
        refused = await one.call(
            "edit", file_path="seen/clash.md", old_string="line 2\n", new_string="AGENT'S\n"
        )
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        conflict = row("seen/clash.md, line 2: Claude was stopped here")
        await bench.wait(conflict)
        await bench.wait(f'{STATUS}.warning-kind:has-text("1 conflict")')

        await bench.click(conflict)
        await bench.wait(".multiDiffEntry .original .view-line:has-text('line 2')")
        await bench.wait(".multiDiffEntry .modified .view-line:has-text('MINE')")
        await bench.wait('.multiDiffEntry .modified .view-line:has-text("AGENT\'S")')
        await bench.picture("conflict-texts")

        await bench.hover(conflict)
        await bench.click(f'{conflict} a.action-label[aria-label="Open a Conflict in the Merge Editor"]')
        await bench.click('.monaco-dialog-box .monaco-button:text-is("Save and Merge")')
        await bench.wait('.code-view.input:has-text("As it is now") .view-line:has-text("MINE")')
        await bench.wait(".code-view.input:has-text('As Claude wanted it') .view-line:has-text('AGENT')")
        await bench.wait('.code-view.result .view-line:has-text("MINE")')
        await bench.picture("conflict-merge", upper=True)

        # Not by a key: a click on the row gives the keyboard to the diff, at its own time.
        await bench.hover(conflict)
        await bench.click(f'{conflict} a.action-label[aria-label^="Dismiss a Conflict"]')
        await bench.wait(f'{VIEW} :text("No agent is stopped.")')
        await bench.wait(f'{STATUS}:not(.warning-kind):not(:has-text("conflict"))')
    mine = LINES.replace("line 2\n", "MINE\n")
    await bench.until("seen/clash.md", text=mine, dirty=False)
    assert path.read_text() == mine


async def test_a_key_dismisses_the_conflict_that_has_the_keyboard(bench: Workbench) -> None:
    await bench.reset()
    names = ("seen/first.md", "seen/second.md")
    async with agent(bench.place, name="Claude") as one:
        for name in names:
            path = bench.place.write(name, LINES)
            await one.call("read", file_path=name)
            path.write_text(LINES.replace("line 2\n", "THEIRS\n"))
            refused = await one.call("edit", file_path=name, old_string="line 2\n", new_string="OURS\n")
            assert refused["code"] == "FS_STALE_VERSION", refused
        await seen_in(bench)
        rows = [row(f"{name}, line 2: Claude was stopped here") for name in reversed(names)]
        for each in rows:
            await bench.wait(each)
        await bench.click(rows[0])  # it is selected, and stays so while the keyboard goes on
        await bench.wait(".multiDiffEntry .modified .view-line:has-text('THEIRS')")
        await bench.command("coeditor.openConflicts")
        await bench.wait(f"{VIEW} .monaco-list:focus")
        await bench.press("End")
        await bench.wait(rows[1].replace(".monaco-list-row", ".monaco-list:focus .monaco-list-row.focused"))
        await bench.press("Delete")
        await bench.wait(rows[1], "detached")
        await bench.wait(rows[0])
        await bench.command("coeditor.openConflicts")
        await bench.press("Home")
        await bench.wait(rows[0].replace(".monaco-list-row", ".monaco-list:focus .monaco-list-row.focused"))
        await bench.press("Delete")
        await bench.wait(f'{VIEW} :text("No agent is stopped.")')


async def test_a_change_that_waits_for_approval_is_shown_first(bench: Workbench) -> None:
    path = bench.place.write("seen/wanted.md", LINES)
    await approve(bench, "always")
    try:
        async with agent(bench.place, name="Claude") as one:
            await one.call("read", file_path="seen/wanted.md")
            for button, code in (("Allow Once", None), ("Refuse", "FS_DENIED")):
                old, new = ("line 2\n", "LINE 2\n") if code is None else ("line 3\n", "LINE 3\n")
                call = asyncio.create_task(
                    one.call("edit", file_path="seen/wanted.md", old_string=old, new_string=new)
                )
                diff = f'{EDITOR} .monaco-diff-editor .modified .view-line:has-text("{new.strip()}")'
                await bench.wait('.notification-toast:has-text("Claude wants to change seen/wanted.md")')
                await bench.wait(diff)
                await bench.picture(f"approval-{button.split()[0].lower()}")
                assert "LINE 3" not in path.read_text()
                await bench.click(f'.notification-toast a:text-is("{button}")')
                assert (await call).get("code") == code
                await bench.wait(diff, "detached")
    finally:
        await approve(bench, "never")
    assert path.read_text() == LINES.replace("line 2\n", "LINE 2\n")


async def approve(bench: Workbench, when: str) -> None:
    """The server that knows of it is there."""
    pid = await bench.server_pid()
    await bench.host("setting", name="coeditor.approval", value=when)
    await bench.server_pid(other_than=pid)
