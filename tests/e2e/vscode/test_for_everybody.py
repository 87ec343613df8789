"""The window for everybody: what a screen reader is told, each kind of theme, and the first steps."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.test_review_views import (
    EDITOR,
    LENS,
    OLD,
    PRICES,
    ROUNDED,
    STATUS,
    SUM,
    VIEW,
    edit,
    row,
    seen_in,
)
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

THEMES = {
    "Light Modern": "vs",
    "Dark Modern": "vs-dark",
    "High Contrast": "hc-black",
    "High Contrast Light": "hc-light",
}
"""VS Code's own, by the class that its window has then."""
STEPS = ["Let it run", "Set up an agent", "Look at its edits", "Type while it works"]


@pytest_asyncio.fixture(loop_scope="session")
async def changed(bench: Workbench) -> AsyncIterator[Agent]:
    """Two changes of an agent wait in a file that is shown, and the view is there."""
    bench.place.write("shop/prices.py", PRICES)
    await bench.open("shop/prices.py")
    await seen_in(bench)
    async with agent(bench.place, name="Claude") as one:
        await edit(one, "shop/prices.py", SUM, ROUNDED, "1")
        await edit(one, "shop/prices.py", OLD, "", "1")
        await bench.wait(row("prices.py in shop, 2 lines added, 5 removed"))
        await bench.wait(f'{LENS}:has-text("Undo")')
        yield one
        await bench.command("coeditor.keepAll")


async def test_each_kind_of_theme_shows_what_is_marked(bench: Workbench, changed: Agent) -> None:
    try:
        for name, kind in THEMES.items():
            await bench.host("setting", name="workbench.colorTheme", value=f"Default {name}")
            await bench.wait(f".monaco-workbench.{kind}")
            await bench.wait(f'{LENS}:has-text("Keep")')
            await bench.picture(f"theme-{kind}", upper=True)
            # Lines, line ends and file names stand out from the editor's own background.
            badge = f'{VIEW} .monaco-list-row[aria-label*="prices.py in shop"] .monaco-icon-label'
            ground = await bench.style(f"{EDITOR} .monaco-editor-background", "background-color")
            gone = await bench.style(
                f"{EDITOR} .view-overlays [style*=dashed], {EDITOR} .view-overlays .cdr", "border-top-color"
            )
            assert contrast(await bench.style(badge, "color"), ground) > 4.5, name
            assert gone != ground, name
    finally:
        await bench.host("setting", name="workbench.colorTheme", value=None)
    await bench.wait(".monaco-workbench.vs")


async def test_a_screen_reader_is_told_what_the_views_show(bench: Workbench, changed: Agent) -> None:
    told = await bench.attribute(f"{STATUS} a", "aria-label")
    assert re.fullmatch(
        r"Coeditor: 1 agent connected, Claude \(\S+\), 2 changes to look at, "
        r"(?:Edits refused for what you had not saved: \d+, )?"  # in tests before
        r"Last edit: Claude, edit in prices\.py \(\+0 −4\)",
        told or "",
    ), told
    await bench.wait('.activitybar a[aria-label*="Coeditor"][aria-label*="2 changes wait for you"]')
    await bench.wait(
        f'{VIEW} .monaco-list-row[aria-label^="Claude, turn 1: 1 file, 2 lines added, 5 removed"]'
    )
    await bench.wait(f'{VIEW} .monaco-list-row[aria-label^="Claude, session "][aria-label*="1 file seen"]')
    for title in (
        "Keep All Changes of This File",
        "Undo All Changes of This File",
        "Show All Changes of This File",
    ):
        await bench.wait(f'{EDITOR} .title a.action-label[aria-label^="{title}"]')
    for title in ("Keep All Changes", "Undo All Changes", "Show All Changes"):
        await bench.wait(f'{VIEW} a.action-label[aria-label^="{title}"]', "attached")
    assert [text.strip() for text in await bench.texts(LENS)][:3] == [
        "Keep",
        "Undo",
        "Claude, turn 1 (+2 −1)",
    ]


async def test_the_walkthrough_has_four_steps_with_pictures(bench: Workbench) -> None:
    await bench.palette("Coeditor: Get Started")
    page = ".gettingStartedContainer .gettingStartedSlideDetails"
    await bench.wait(f'{page} .category-title:has-text("Get Started with Coeditor")')
    for number, step in enumerate(STEPS, 1):
        title = f'{page} .getting-started-step:has(.step-title:text-is("{step}"))'
        if number > 1:
            await bench.click(f"{title} .step-title")
        await bench.wait(f"{title}.expanded")
        await bench.wait(
            f"{page} .getting-started-media iframe, {page} .getting-started-media webview", "attached"
        )
        await bench.picture(f"walkthrough-{number}")


def contrast(one: str, other: str) -> float:
    """As the guidelines for accessible content reckon it; of CSS colours without transparency."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
