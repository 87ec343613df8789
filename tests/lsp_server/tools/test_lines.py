"""Which lines are an agent's, and whose."""

from __future__ import annotations

from tests.lsp_server.tools.conftest import Walk

LINES = "".join(f"line {number} end\n" for number in range(1, 11))


async def told(walk: Walk) -> list[tuple[int, int, str | None]]:
    """The runs, with the edit of those that are an agent's."""
    found = await walk.call("lines", file_path="a.py")
    return [(row["start_line"], row["end_line"], row.get("edit_id")) for row in found["lines"]]


async def test_agents_and_the_persons_lines_through_later_edits(walk: Walk) -> None:
    path = walk.put("a.py", LINES)
    assert await told(walk) == [(1, 10, None)]
    await walk.read("a.py")
    one = (await walk.edit("a.py", "line 3 end\n", "three\nmore\n"))["edit_id"]
    path.write_text("mine\n" + path.read_text().replace("line 8 end", "my eight"))
    await walk.read("a.py", session="other")
    two = (await walk.edit("a.py", "line 5 end", "five", session="other"))["edit_id"]
    assert await told(walk) == [(1, 3, None), (4, 5, one), (6, 6, None), (7, 7, two), (8, 12, None)]
    rows = (await walk.call("lines", file_path="a.py"))["lines"]
    assert [(row["by"], row.get("session")) for row in rows][1:4] == [
        ("agent", "s"),
        ("person", None),
        ("agent", "other"),
    ]


async def test_an_overwrite_leaves_equal_lines_whose_they_were(walk: Walk) -> None:
    walk.put("a.py", LINES)
    await walk.read("a.py")
    one = (await walk.write("a.py", LINES.replace("line 4 end", "four")))["edit_id"]
    assert await told(walk) == [(1, 3, None), (4, 4, one), (5, 10, None)]


async def test_what_a_rewind_brings_back_is_whose_it_was(walk: Walk) -> None:
    path = walk.put("a.py", LINES)
    await walk.read("a.py")
    one = (await walk.edit("a.py", "line 3 end", "three"))["edit_id"]
    two = (await walk.edit("a.py", "three", "3"))["edit_id"]
    path.write_text(path.read_text() + "mine\n")
    await walk.call("rewind", to=two)
    assert await told(walk) == [(1, 2, None), (3, 3, one), (4, 11, None)]
    await walk.call("rewind", to=one)
    assert await told(walk) == [(1, 11, None)]


async def test_lines_move_with_their_file(walk: Walk) -> None:
    walk.put("b.py", LINES)
    await walk.read("b.py")
    one = (await walk.edit("b.py", "line 3 end", "three"))["edit_id"]
    await walk.patch("*** Move File: b.py -> a.py")
    assert await told(walk) == [(1, 2, None), (3, 3, one), (4, 10, None)]
