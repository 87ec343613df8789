"""Who moved a file, where git did: by every operation that changes files, and never where somebody else did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp_server.tools.conftest import Walk
from tests.lsp_server.tools.git import Git, repository

BASE = "one\ntwo\nthree\n"
TOPIC = "one\n2\nthree\n"
MAIN = "one\ntwo\nthree\nfour\n"


@pytest.fixture
def git(walk: Walk) -> Git:
    """Two branches from one commit: topic changes line 2 and adds a file, main adds line 4."""
    git = repository(walk.root)
    walk.put("f", BASE)
    walk.put("gone", "x\n")
    git.commit("base")
    git("checkout", "-q", "-b", "topic")
    walk.put("f", TOPIC)
    (walk.root / "gone").unlink()
    git.commit("topic")
    git("checkout", "-q", "main")
    return git


def checkout(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")


def switch_to_a_commit(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "--detach", git("rev-parse", "topic"))


def fast_forward(walk: Walk, git: Git) -> None:
    git("merge", "-q", "topic")


def merge(walk: Walk, git: Git) -> None:
    walk.put("other", "y\n")
    git.commit("other")
    git("merge", "-q", "--no-edit", "topic")


def rebase(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "-b", "side")
    walk.put("other", "y\n")
    git.commit("other")
    walk.put("more", "z\n")
    git.commit("more")
    git("rebase", "-q", "topic")


def reset(walk: Walk, git: Git) -> None:
    git("reset", "-q", "--hard", "topic")


def cherry_pick(walk: Walk, git: Git) -> None:
    git("cherry-pick", "topic")


def stopped_merge(walk: Walk, git: Git) -> None:
    """Both changed line 2: git stops and leaves its marks."""
    walk.put("f", "one\nzwei\nthree\n")
    git.commit("clash")
    git("merge", "topic", ok=False)


def stopped_rebase(walk: Walk, git: Git) -> None:
    walk.put("f", "one\nzwei\nthree\n")
    git.commit("clash")
    git("rebase", "topic", ok=False)


@pytest.mark.parametrize(
    ("operation", "mover"),
    [
        (checkout, "git:checkout"),
        (switch_to_a_commit, "git:checkout"),
        (fast_forward, "git:merge"),
        (merge, "git:merge"),
        (rebase, "git:rebase"),
        (reset, "git:reset"),
        (cherry_pick, "git:cherry-pick"),
        (stopped_merge, "git:merge"),
        (stopped_rebase, "git:rebase"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
async def test_operation_is_named(
    walk: Walk, git: Git, operation: Callable[[Walk, Git], None], mover: str
) -> None:
    await walk.read("f")
    operation(walk, git)
    refused = await walk.edit("f", "two", "II")
    assert refused["code"] == "FS_STALE_VERSION"
    assert refused["data"]["moved_by"] == mover
    assert f"by git ({mover.removeprefix('git:')})" in refused["message"]


async def test_stash_takes_away_and_brings_back(walk: Walk, git: Git) -> None:
    walk.put("f", MAIN)
    walk.put("new", "unknown to git\n")
    await walk.read("f")
    await walk.read("new")
    git("stash", "push", "-q", "-u")
    refused = await walk.edit("f", "four", "4")
    assert refused["data"]["moved_by"] == "git:stash"
    refused = await walk.edit("new", "git", "us")
    assert (refused["data"]["vanished"], refused["data"]["moved_by"]) == (True, "git:stash")
    git("stash", "pop", "-q")
    refused = await walk.edit("f", "three", "3")
    assert refused["data"]["moved_by"] == "git:stash"
    assert (await walk.edit("f", "three", "3"))["ok"]


async def test_a_file_that_a_branch_does_not_have_is_gone_by_git(walk: Walk, git: Git) -> None:
    await walk.read("gone")
    git("checkout", "-q", "topic")
    refused = await walk.edit("gone", "x", "y")
    assert (refused["data"]["vanished"], refused["data"]["moved_by"]) == (True, "git:checkout")


async def test_without_reflogs_a_switch_shows_in_head(walk: Walk, git: Git) -> None:
    git("config", "core.logAllRefUpdates", "false")
    (walk.root / ".git/logs/HEAD").unlink()
    git("pack-refs", "--all")
    await walk.read("f")
    git("checkout", "-q", "topic")
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "git:checkout"


async def test_discarded_changes_are_gits(walk: Walk, git: Git) -> None:
    walk.put("f", MAIN)
    await walk.read("f")
    git("reset", "-q", "--hard")
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "git:reset"


async def test_line_ends_that_git_translates_are_gits(walk: Walk, git: Git) -> None:
    git("config", "core.autocrlf", "true")
    await walk.read("f")
    git("checkout", "-q", "topic")
    assert walk.text("f") == TOPIC.replace("\n", "\r\n")
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "git:checkout"


async def test_a_linked_work_tree_is_one_of_its_own(walk: Walk, git: Git) -> None:
    git("worktree", "add", "-q", "-b", "linked", str(walk.root / "linked"), "main")
    linked = Git(walk.root / "linked")
    await walk.read("linked/f")
    await walk.read("f")
    git("checkout", "-q", "topic")
    walk.put("linked/f", MAIN)
    assert (await walk.edit("linked/f", "two", "II"))["data"]["moved_by"] == "external"
    linked("checkout", "-q", "--", ".")
    await walk.read("linked/f")
    linked("merge", "-q", "topic")
    assert (await walk.edit("linked/f", "two", "II"))["data"]["moved_by"] == "git:merge"
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "git:checkout"


def typed(walk: Walk, git: Git) -> None:
    walk.put("f", MAIN)


def typed_and_committed(walk: Walk, git: Git) -> None:
    walk.put("f", MAIN)
    git.commit("by hand")


def typed_before_a_new_branch(walk: Walk, git: Git) -> None:
    walk.put("f", MAIN)
    git("checkout", "-q", "-b", "fresh")


def typed_after_a_checkout(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")
    walk.put("f", TOPIC + "and more\n")


@pytest.mark.parametrize(
    "somebody", [typed, typed_and_committed, typed_before_a_new_branch, typed_after_a_checkout]
)
async def test_what_somebody_else_wrote_is_never_gits(
    walk: Walk, git: Git, somebody: Callable[[Walk, Git], None]
) -> None:
    await walk.read("f")
    somebody(walk, git)
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "external"


async def test_an_operation_from_before_the_read_moved_nothing(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")
    walk.put("f", MAIN)
    # The operation is as old as its reflog says, in whole seconds.
    log = walk.root / ".git/logs/HEAD"
    lines = log.read_text().splitlines(keepends=True)
    head, _, rest = lines[-1].partition("> ")
    seconds, _, end = rest.partition(" ")
    log.write_text("".join(lines[:-1]) + f"{head}> {int(seconds) - 60} {end}")
    await walk.read("f")
    walk.put("f", TOPIC)
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "external"


async def test_another_agents_edit_stays_its_own_through_a_branch_and_back(walk: Walk, git: Git) -> None:
    await walk.read("f")
    await walk.read("f", session="other")
    assert (await walk.edit("f", "two", "zwei", session="other"))["ok"]
    refused = await walk.edit("f", "two", "II")
    assert refused["data"]["moved_by"] == "session:other"


async def test_without_git_on_the_path_nothing_is_claimed(
    walk: Walk, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await walk.read("f")
    git("checkout", "-q", "topic")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await walk.edit("f", "two", "II"))["data"]["moved_by"] == "external"
