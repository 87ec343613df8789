"""Deciding about agents' changes: with the keyboard alone, in the editor's title, and about all of them at once."""

from __future__ import annotations

import os

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.test_review_views import (
    CHECK,
    EDITOR,
    OLD,
    PRICES,
    ROUNDED,
    SUM,
    VIEW,
    edit,
    row,
    seen_in,
)
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

FULL = os.environ.get("COEDITOR_FAULTS") == "full"

NONE = f'{VIEW} :text("No change of an agent waits for you.")'
TITLE = f"{EDITOR} .title .editor-actions"


async def changed(bench: Workbench, one: Agent) -> None:
    """Two changes in one file by a turn, one in another by the next; the first file is shown.

    Not clicked into: the first line may be a lens.
    """
    bench.place.write("shop/prices.py", PRICES)
    bench.place.write("shop/checks.py", CHECK)
    await bench.open("shop/prices.py", line=0)
    await seen_in(bench)
    await edit(one, "shop/prices.py", SUM, ROUNDED, "1")
    await edit(one, "shop/prices.py", OLD, "", "1")
    await edit(one, "shop/checks.py", CHECK, CHECK.replace("1", "0.1"), "2")
    await bench.wait(row("Claude, turn 2: 1 file, 1 line added, 1 removed"))
    await bench.wait(row("Claude, turn 1: 1 file, 2 lines added, 5 removed"))


async def to_the_view(bench: Workbench) -> None:
    """By its command; the list has the keyboard then."""
    await bench.palette("Coeditor: Show What Agents Changed")
    await bench.wait(f"{VIEW} .monaco-list:focus")


async def move(bench: Workbench, key: str, spoken: str) -> None:
    """The row that has the keyboard then is the one that a screen reader says so."""
    await bench.press(key)
    await bench.wait(f'{VIEW} .monaco-list:focus .monaco-list-row.focused[aria-label^="{spoken}"]')


async def test_changes_are_found_shown_kept_and_undone_with_the_keyboard_alone(bench: Workbench) -> None:
    async with agent(bench.place, name="Claude") as one:
        await changed(bench, one)
        await to_the_view(bench)
        await move(bench, "Home", "Claude, turn 2")
        await move(bench, "ArrowDown", "checks.py in shop")
        await bench.press("ArrowRight")
        await bench.wait(row("line 1, 1 line added, 1 removed"))
        await move(bench, "ArrowDown", "line 1, ")
        await bench.picture("keyboard-tree", upper=True)
        await bench.press("Control+Enter")
        await bench.wait(row("Claude, turn 2"), "detached")
        assert bench.place.text("shop/checks.py") == CHECK.replace("1", "0.1")

        await move(bench, "Home", "Claude, turn 1")
        await move(bench, "ArrowDown", "prices.py in shop")
        await bench.press("ArrowRight")
        await bench.wait(row("lines 3–4, 2 lines added"))
        await move(bench, "ArrowDown", "lines 3–4, ")
        await bench.press("Enter")  # to the place in the file
        await bench.wait(f'{EDITOR} .view-line:has-text("prices = ")')
        await to_the_view(bench)
        await move(bench, "End", "after line 8, ")
        await bench.press("Delete")
        await bench.until("shop/prices.py", text=PRICES.replace(SUM, ROUNDED), dirty=False)
        await move(bench, "Home", "Claude, turn 1: 1 file, 2 lines added, 1 removed")
        await bench.press("Delete")
        await bench.wait(NONE)
    await bench.until("shop/prices.py", text=PRICES, dirty=False)


async def test_a_file_is_decided_about_in_its_editors_title(bench: Workbench) -> None:
    async with agent(bench.place, name="Claude") as one:
        await changed(bench, one)
        await bench.wait(f"{EDITOR} .glyph-margin-widgets .cgmr")  # the mark beside the lines
        await bench.click(f'{TITLE} a[aria-label^="Show All Changes of This File"]')
        await bench.wait(f'{EDITOR} .monaco-diff-editor .original .view-line:has-text("shout")')
        await bench.wait(
            f'{EDITOR} .monaco-diff-editor .modified .view-line:has-text("rounded"), '
            f'{EDITOR} .monaco-diff-editor .modified .view-line:has-text("round(")'
        )
        await bench.click(f'{TITLE} a[aria-label^="Undo All Changes of This File"]')
        await bench.until("shop/prices.py", text=PRICES, dirty=False)
        await bench.wait(row("Claude, turn 1"), "detached")
        await bench.open("shop/checks.py", line=0)
        await bench.click(f'{TITLE} a[aria-label^="Keep All Changes of This File"]')
        await bench.wait(NONE)
        await bench.wait(f'{TITLE} a[aria-label^="Keep All Changes of This File"]', "detached")
    await bench.until("shop/checks.py", text=CHECK.replace("1", "0.1"), dirty=False)


if FULL:

    async def test_all_changes_are_gone_through_and_decided_about_at_once(bench: Workbench) -> None:
        async with agent(bench.place, name="Claude") as one:
            await changed(bench, one)
            assert await bench.texts(".notification-toast") == [], (
                "an edit needs no decision, and stops nobody"
            )
            await bench.open("shop/prices.py", line=0)
            await bench.palette("Coeditor: Go to Next Change of an Agent")
            await bench.until("shop/prices.py", cursor=[2, 0])
            await bench.palette("Coeditor: Go to Next Change of an Agent")
            await bench.until("shop/prices.py", cursor=[8, 0])
            await bench.palette("Coeditor: Go to Next Change of an Agent")
            await bench.until("shop/checks.py", active=True)
            await bench.palette("Coeditor: Go to Previous Change of an Agent")
            await bench.until("shop/prices.py", active=True, cursor=[8, 0])

            await bench.palette("Coeditor: Show All Changes")
            await bench.wait(".multiDiffEntry .modified .view-line:has-text('Item(0.1)')")
            await bench.wait(".multiDiffEntry .original .view-line:has-text('shout')")
            await bench.hover(row("Claude, turn 2"))
            await bench.click(
                f'{VIEW} .pane-header:has-text("Changes to Look At") a[aria-label^="Undo All Changes"]'
            )
            await bench.wait('.monaco-dialog-box:has-text("Undo 3 changes of agents in 2 files?")')
            await bench.press("Escape")
            await bench.wait(".monaco-dialog-box", "detached")
            assert bench.place.text("shop/checks.py") != CHECK
            await bench.palette("Coeditor: Undo All Changes")
            await bench.click('.monaco-dialog-box .monaco-button:text-is("Undo")')
            await bench.wait(NONE)
        assert (bench.place.text("shop/prices.py"), bench.place.text("shop/checks.py")) == (PRICES, CHECK)
