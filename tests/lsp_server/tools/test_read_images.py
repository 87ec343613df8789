"""Images: shown to who takes them, and never more than a model bears."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ledger.errors import CoeditorError
from lsp_server.agents.mcp import success_result
from lsp_server.service import CallContext
from lsp_server.wire.clients import CLIENTS, client_of
from tests.editor_clients.pictures import gif, jpeg, png, webp
from tests.lsp_server.tools.conftest import MakeWalk, Walk
from tests.shapes import check_shape


async def look(walk: Walk, name: str, *, images: bool = True) -> dict[str, Any]:
    """A read by a caller who takes images, or not."""
    context = CallContext(walk.caller("s"), "mcp", str(walk.root), images=images)
    try:
        found = await walk.app.call("read", {"file_path": name}, context)
    except CoeditorError as error:
        found = error.to_object()
    return check_shape("read", found)


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (png(6, 4), "image/png"),
        (jpeg(6, 4), "image/jpeg"),
        (gif(6, 4), "image/gif"),
        (webp(b"VP8X", 6, 4), "image/webp"),
    ],
)
async def test_an_image_comes_as_a_block(walk: Walk, data: bytes, mime_type: str) -> None:
    walk.put("picture", data)
    found = await look(walk, "picture")
    image = found["image"]
    assert (image["mime_type"], image["width"], image["height"], image["bytes"]) == (
        mime_type,
        6,
        4,
        len(data),
    )
    result = success_result("read", found, structured=True)
    text, block = result["content"]
    assert (block["type"], block["mimeType"]) == ("image", mime_type)
    assert base64.b64decode(block["data"]) == data
    assert text["text"] == f"[coeditor: an image, {mime_type}, 6 by 4 pixels, {len(data)} bytes]"
    assert "data" not in result["structuredContent"]["image"]
    assert success_result("read", found, structured=False).keys() == {"content", "isError"}


async def test_who_takes_none_is_told_what_it_is(walk: Walk) -> None:
    walk.put("a.png", png(6, 4))
    found = await look(walk, "a.png", images=False)
    assert (found["code"], found["data"]["reason"]) == ("FS_NOT_TEXT", "image")
    assert "image/png, 6 by 4 pixels" in found["message"]


@pytest.mark.parametrize(
    ("data", "limits", "limit_name"),
    [
        (png(6, 4, extra=bytes(3_000)), {"image_bytes": 2_000}, "image_bytes"),
        (png(6, 8_001), {}, "image_side"),
        (jpeg(101, 4), {"image_side": 100}, "image_side"),
    ],
)
async def test_too_large_a_picture_is_not_sent(
    make_walk: MakeWalk, data: bytes, limits: dict[str, int], limit_name: str
) -> None:
    walk = make_walk({"limits": limits})
    walk.put("picture", data)
    found = await look(walk, "picture")
    assert (found["code"], found["data"]["limit_name"]) == ("FS_TOO_LARGE", limit_name)
    assert found["file_path"] == str(walk.root / "picture")


async def test_other_binary_files_stay_what_they_are(walk: Walk) -> None:
    walk.put("a.bin", b"\0\1\2")
    assert (await look(walk, "a.bin"))["data"].get("reason") != "image"


async def test_an_image_is_nothing_that_could_be_edited(walk: Walk) -> None:
    walk.put("a.png", png(6, 4))
    assert (await look(walk, "a.png"))["ok"]
    assert (await walk.edit("a.png", "x", "y"))["code"] == "FS_NOT_TEXT"
    assert (await walk.write("a.png", "y"))["code"] == "FS_NOT_TEXT"


@pytest.mark.parametrize(
    ("name", "takes"), [("copilot-cli", False), ("opencode", False), ("claude-code", True), (None, True)]
)
def test_who_takes_images(name: str | None, takes: bool) -> None:
    assert client_of({"name": name} if name else None).images is takes
    assert name is None or name in CLIENTS
