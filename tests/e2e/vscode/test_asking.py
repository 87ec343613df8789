"""VS Code asks the person without stopping them, and takes the question away when it is settled otherwise."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.test_review_views import EDITOR, LINES
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

TOAST = '.notification-toast:has-text("wants to overwrite")'
STATUS = '.statusbar-item[id="coeditor.coeditor.coeditor.question"]'
KEEP = "Keep My Changes"
PATIENT = {"ask_seconds": 600}
FULL = os.environ.get("COEDITOR_FAULTS") == "full"
RIGHT = f"{EDITOR} .monaco-diff-editor .editor.modified"
QUESTION = '.notification-toast:has-text("What you change on the right is what is made.")'
ALLOW = f'{EDITOR} .title a.action-label[aria-label^="Allow This Change"]'


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def patience(window: Workbench) -> AsyncIterator[None]:
    """On a busy machine the person is slow."""
    await settings(window, limits=PATIENT)
    yield
    await settings(window, limits=None)


async def asked(bench: Workbench, one: Agent, name: str) -> asyncio.Task[dict[str, Any]]:
    """The person typed, the agent saw it and wants to overwrite it: the question is there."""
    bench.place.write(name, "one\n")
    await bench.open(name)
    await bench.type("typed ")
    await bench.until(name, text="typed one\n", dirty=True)
    await server_sees(one, name, "typed one")
    await one.call("read", file_path=name)
    call = asyncio.create_task(one.call("write", file_path=name, content="whole\n"))
    await bench.wait(f'{TOAST}:has-text("{name}")')
    await bench.wait(f'{STATUS}:has-text("Agent asks")')
    return call


async def gone(bench: Workbench) -> None:
    """Nothing of the question is left."""
    for selector in (TOAST, STATUS, ".quick-input-widget"):
        await bench.wait(selector, "hidden")


async def by_link(bench: Workbench, title: str) -> None:
    await bench.click(f'{TOAST} a:text-is("{title}")')


async def by_palette(bench: Workbench, title: str) -> None:
    await bench.palette("Answer an Agent's Question")
    # What changes nothing is what Enter gets.
    await bench.wait(".quick-input-widget input:focus")
    await bench.wait(f'.quick-input-list .monaco-list-row.focused:has-text("{KEEP}")')
    await bench.press(*([] if title == KEEP else ["ArrowUp"]), "Enter")


async def by_closing(bench: Workbench, title: str) -> None:
    await bench.click(f'{TOAST} .monaco-button:text-is("{title}")')


@pytest.mark.parametrize(
    ("way", "title", "answer"),
    [
        pytest.param(by_link, "Overwrite Anyway", None, id="link-yes"),
        pytest.param(by_link, KEEP, "no", id="link-no"),
        pytest.param(by_palette, "Overwrite Anyway", None, id="keyboard-yes"),
        pytest.param(by_palette, KEEP, "no", id="keyboard-no"),
        pytest.param(by_closing, "Cancel", "dismissed", id="closed"),
    ],
)
async def test_each_answer_of_the_persons_counts(
    bench: Workbench, way: Any, title: str, answer: str | None
) -> None:
    name = f"asked-{way.__name__}-{answer}.md"
    async with agent(bench.place, name="Ada [x](command:workbench.action.quit)") as one:
        call = await asked(bench, one, name)
        assert await bench.texts(f"{TOAST} .notification-list-item-message a") == ["Overwrite Anyway", KEEP]
        await bench.picture(f"asked-{way.__name__}")
        await way(bench, title)
        found = await call
        await gone(bench)
        assert (bench.place.folder / name).read_text() == "one\n"
        if answer is None:
            assert found["ok"] is True, found
            assert found["changed_files"][0]["saved"] is False
            await bench.until(name, text="whole\n", dirty=True)
            assert len((await one.call("history"))["edits"]) == 1
            await bench.command("undo")
            await bench.until(name, text="typed one\n", dirty=True)
        else:
            assert (found["code"], found["data"]["rule"]) == ("FS_DENIED", "person"), found
            assert found["data"]["answer"] == answer
            assert await bench.text(name) == "typed one\n"


@pytest.mark.parametrize("how", ["saved", "reverted", "closed", "cancelled"])
async def test_the_person_types_on_and_a_settled_question_goes(bench: Workbench, how: str) -> None:
    name = f"settled-{how}.md"
    async with agent(bench.place) as one:
        call = await asked(bench, one, name)
        await bench.type("on ")  # no key is taken from the person
        await bench.until(name, text="typed on one\n", dirty=True)
        match how:
            case "saved":
                await bench.press("Control+S")
                await bench.until(name, dirty=False)
            case "reverted":
                await bench.command("workbench.action.files.revert")
                await bench.until(name, text="one\n", dirty=False)
            case "closed":
                await bench.command("workbench.action.revertAndCloseActiveEditor")
            case _:
                await one.cancel(call)
        await gone(bench)
        if how != "cancelled":
            found = await call
            assert found["code"] == "FS_STALE_VERSION", found
        assert (bench.place.folder / name).read_text() == ("typed on one\n" if how == "saved" else "one\n")


async def test_a_settled_question_takes_its_list_of_answers_along(bench: Workbench) -> None:
    async with agent(bench.place) as one:
        call = await asked(bench, one, "listed.md")
        await bench.click(STATUS)
        await bench.wait(f'.quick-input-list .monaco-list-row:has-text("{KEEP}")')
        assert await bench.save("listed.md")
        await gone(bench)
        assert (await call)["ok"] is True  # what was saved is what the agent had seen
    await bench.until("listed.md", text="whole\n", dirty=False)


async def test_three_agents_are_asked_about_one_after_the_other(bench: Workbench) -> None:
    names = ["x.md", "y.md", "z.md"]
    async with agent(bench.place) as one, agent(bench.place) as two, agent(bench.place) as three:
        calls = []
        for each, name in zip((one, two, three), names, strict=True):
            bench.place.write(name, "one\n")
            await bench.open(name)
            await bench.type("typed ")
            await server_sees(each, name, "typed one")
            await each.call("read", file_path=name)
            calls.append(asyncio.create_task(each.call("write", file_path=name, content="whole\n")))
        for name in names:
            # The one before may still be fading.
            await bench.click(f'{TOAST}:has-text("{name}") a:text-is("Overwrite Anyway")')
        assert [found["ok"] for found in await asyncio.gather(*calls)] == [True, True, True]
        await gone(bench)
    for name in names:
        await bench.until(name, text="whole\n", dirty=True)


async def test_closing_the_view_of_a_change_answers_nothing_and_no_tab_is_left(bench: Workbench) -> None:
    path = bench.place.write("seen.md", "one\n")
    await settings(bench, approval="always")
    try:
        async with agent(bench.place, name="Ada") as one:
            await one.call("read", file_path="seen.md")
            for old, new in (("one", "two"), ("two", "three")):
                change: dict[str, Any] = {"old_string": old, "new_string": new}
                call = asyncio.create_task(one.call("edit", file_path="seen.md", **change))
                toast = '.notification-toast:has-text("Ada wants to change seen.md")'
                await bench.wait(toast)
                await bench.wait(f'.monaco-diff-editor .modified .view-line:has-text("{new}")')
                if new == "two":
                    await bench.command("workbench.action.closeActiveEditor")
                    await bench.wait(".monaco-diff-editor", "hidden")
                assert path.read_text() == f"{old}\n"
                assert not call.done()
                await bench.click(f'{toast} a:text-is("Allow Once")')
                assert (await call)["ok"] is True
                await gone(bench)
                assert await bench.host("tabs") == []
    finally:
        await settings(bench, approval="never")
    assert path.read_text() == "three\n"


@pytest_asyncio.fixture(loop_scope="session")
async def approving(bench: Workbench) -> AsyncIterator[None]:
    """The person wants to agree to each change."""
    await settings(bench, approval="always")
    yield
    await settings(bench, approval="never")


@pytest.mark.usefixtures("approving")
async def test_what_the_person_types_in_the_diff_is_what_is_made(bench: Workbench) -> None:
    path = bench.place.write("seen/mine.md", LINES)
    async with agent(bench.place, name="Claude") as one:
        await one.call("read", file_path="seen/mine.md")
        call = asyncio.create_task(
            one.call("edit", file_path="seen/mine.md", old_string="line 2\n", new_string="LINE 2\n")
        )
        await bench.wait(QUESTION)
        await bench.click(f'{RIGHT} .view-line:has-text("LINE 2")')
        await bench.press("End")
        await bench.type(", and mine")
        await bench.wait(f'{RIGHT} .view-line:has-text("LINE 2, and mine")')
        await bench.picture("approval-edited")
        assert path.read_text() == LINES
        await bench.click(ALLOW)
        done = await call
        assert "-LINE 2\n+LINE 2, and mine\n" in done["amended"], done
        await bench.wait(f"{EDITOR} .monaco-diff-editor", "detached")
    assert path.read_text() == LINES.replace("line 2\n", "LINE 2, and mine\n")


if FULL:

    @pytest.mark.usefixtures("approving")
    async def test_of_several_files_each_may_be_changed(bench: Workbench) -> None:
        path = bench.place.write("seen/several.md", "one\n")
        patch = (
            "*** Begin Patch\n*** Update File: seen/several.md\n@@\n-one\n+ONE\n"
            "*** Add File: seen/added.md\n+new\n*** End Patch\n"
        )
        async with agent(bench.place, name="Claude") as one:
            await one.call("read", file_path="seen/several.md")
            call = asyncio.create_task(one.call("apply_patch", patch=patch))
            await bench.wait(QUESTION)
            await bench.click('.multiDiffEntry .modified .view-line:has-text("new")')
            await bench.press("Home")
            await bench.type("brand ")
            await bench.picture("approval-several", upper=True)
            await bench.click(ALLOW)
            done = await call
            assert "-new\n+brand new\n" in done["amended"], done
            assert len(done["changed_files"]) == 2
            await bench.wait(".multiDiffEntry", "detached")
        assert (path.read_text(), bench.place.text("seen/added.md")) == ("ONE\n", "brand new\n")


async def test_no_answer_in_time_keeps_the_text(bench: Workbench) -> None:
    await settings(bench, limits={"ask_seconds": 3})
    try:
        async with agent(bench.place) as one:
            found = await (await asked(bench, one, "silent.md"))
            assert (found["code"], found["data"]["answer"]) == ("FS_UNSAVED_CHANGES", "silent"), found
            await gone(bench)
            assert await bench.text("silent.md") == "typed one\n"
    finally:
        await settings(bench, limits=PATIENT)


async def settings(bench: Workbench, **values: object) -> None:
    """The server that knows of it is there."""
    pid = await bench.server_pid()
    for name, value in values.items():
        await bench.host("setting", name=f"coeditor.{name}", value=value)
    await bench.server_pid(other_than=pid)
