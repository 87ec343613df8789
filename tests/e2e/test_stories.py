"""What happened to people whose agents edit files, and what happens here: the README's stories.

Real agents' connections, a real server, an editor that speaks LSP.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import ScriptedEditor

CART = """\
def total(prices):
    return sum(prices)


def label(name, count):
    return f"{count} x {name}"
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


async def test_what_you_typed_and_did_not_save_is_still_there(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("cart.py", CART))
    wanted: dict[str, Any] = {
        "file_path": "cart.py",
        "old_string": "sum(prices)",
        "new_string": "round(sum(prices))",
    }
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="cart.py")
        editor.type(document, 0, "# Prices are in cents.\n")

        refused = await one.call("edit", **wanted)
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_UNSAVED_CHANGES", "user-unsaved")
        assert "+# Prices are in cents." in refused["data"]["diff"]
        assert (document.text, place.text("cart.py")) == ("# Prices are in cents.\n" + CART, CART)

        assert (await one.call("edit", **wanted))["ok"]
        edited = CART.replace("sum(prices)", "round(sum(prices))")
        assert (document.text, place.text("cart.py")) == ("# Prices are in cents.\n" + edited, CART)
        editor.undo(document)
        assert document.text == "# Prices are in cents.\n" + CART


async def test_the_second_agent_does_not_write_over_the_first(place: Place) -> None:
    place.write("cart.py", CART)
    async with agent(place) as first, agent(place) as second:
        for each in (first, second):
            await each.call("read", file_path="cart.py")
        whole = CART + "\n\ndef is_empty(prices):\n    return not prices\n"
        assert (await first.call("write", file_path="cart.py", content=whole))["ok"]

        stale = CART.replace("{count} x {name}", "{name}: {count}")
        refused = await second.call("write", file_path="cart.py", content=stale)
        assert refused["code"] == "FS_STALE_VERSION"
        assert refused["data"]["moved_by"].startswith("session:")
        assert "+def is_empty(prices):" in refused["data"]["diff"]
        assert place.text("cart.py") == whole

        wish: dict[str, Any] = {"old_string": "{count} x {name}", "new_string": "{name}: {count}"}
        assert (await second.call("edit", file_path="cart.py", **wish))["ok"]
        assert place.text("cart.py") == whole.replace("{count} x {name}", "{name}: {count}")


PATCH = """\
*** Begin Patch
*** Update File: cart.py
@@
-def total(prices):
+def total_of(prices):
*** Update File: till.py
@@
-    return total(prices)
+    return total_of(prices)
*** Add File: receipt.py
+from cart import total_of
*** End Patch
"""
TILL = "from cart import total\n\n\ndef pay(prices):\n    return total(prices)\n"


async def test_a_patch_is_applied_as_a_whole_or_not_at_all(place: Place) -> None:
    place.write("cart.py", CART)
    till = place.write("till.py", TILL)
    async with agent(place) as one:
        for name in ("cart.py", "till.py"):
            await one.call("read", file_path=name)
        till.write_text(TILL.replace("return total(prices)", "return round(total(prices))"))

        refused = await one.call("apply_patch", patch=PATCH)
        assert (refused["code"], refused["file_path"]) == ("FS_STALE_VERSION", str(till))
        assert place.text("cart.py") == CART
        assert not (place.folder / "receipt.py").exists()

        again = PATCH.replace("    return total(prices)\n", "    return round(total(prices))\n", 1)
        done = await one.call("apply_patch", patch=again)
        assert [row["operation"] for row in done["changed_files"]] == ["update", "update", "create"]


async def test_taking_an_edit_back_leaves_what_you_wrote_since(place: Place) -> None:
    path = place.write("cart.py", CART)
    async with agent(place) as one:
        await one.call("read", file_path="cart.py")
        done = await one.call("edit", file_path="cart.py", old_string="{count} x", new_string="{count} of")
        yours = place.text("cart.py").replace("def total", "# Prices are in cents.\ndef total")
        path.write_text(yours)

        assert (await one.call("rewind", to=done["edit_id"]))["ok"]
        assert place.text("cart.py") == "# Prices are in cents.\n" + CART
