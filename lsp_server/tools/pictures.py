"""What ``read`` answers for an image.

Never: a trace in the ledger; there are no lines to have seen.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from editor_clients.images import Image, read_image
from ledger.errors import Code, CoeditorError
from ledger.types import token_of_utf8
from lsp_server.targets import Target
from lsp_server.workspace import Workspace


async def image_at(workspace: Workspace, target: Target) -> Image | None:
    """The image that ``target`` is; None when it is something else. Errors: FS_TOO_LARGE, and those of the disk."""
    limit = workspace.settings.limit
    try:
        return await asyncio.to_thread(
            read_image,
            workspace.walls,
            str(target.key),
            most_bytes=limit("image_bytes"),
            longest_side=limit("image_side"),
            file_limit=limit("file_bytes"),
        )
    except CoeditorError as error:
        error.file_path = target.path
        raise


def image_object(image: Image, target: Target, *, is_taken: bool) -> dict[str, Any]:
    """The result, with the image's bytes in base64. Errors: FS_NOT_TEXT where the caller takes none."""
    if not is_taken:
        size = f", {image.width} by {image.height} pixels" if image.width else ""
        raise CoeditorError(
            Code.FS_NOT_TEXT,
            f"{target.path} is an image ({image.mime_type}{size}), and images cannot be shown to you here.",
            file_path=target.path,
            data={"reason": "image"},
        )
    return {
        "ok": True,
        "start_line": 1,
        "end_line": 0,
        "total_lines": 0,
        "version": token_of_utf8(image.data),
        "authority": "disk",
        "unsaved": False,
        "unchanged": False,
        "image": {
            "mime_type": image.mime_type,
            "width": image.width,
            "height": image.height,
            "bytes": len(image.data),
            "data": base64.b64encode(image.data).decode("ascii"),
        },
    }
