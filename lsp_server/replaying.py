"""Recorded edits as calls to be made in another checkout.

::

    edit by text, patch, notebook   the request as it was sent: it fits where its text does
    edit by lines, write            the request, where the file is at the version that it was made for
    rewind, review, shell, native   what it made of each file, moved over what is different there; where the two
                                    meet, it no longer fits

Never: I/O.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.edits.rebase import take_back

_HEADER = re.compile(r"^(\*\*\* (?:Add File|Delete File|Update File|Move to): )(.*)$", re.MULTILINE)
_MOVE = re.compile(r"^(\*\*\* Move File: )(.*?)( -> )(.*)$", re.MULTILINE)
_UP = re.compile(r"^(?:/|\.\./)*")
BY_REQUEST = frozenset({"edit", "write", "apply_patch", "edit_notebook"})


@dataclass(frozen=True, slots=True)
class Places:
    """Where files of one checkout are in another."""

    sources: Sequence[str]
    """The folders recorded from."""
    goal: str

    def at_goal(self, path: str) -> str:
        """The place of an absolute path of the source. Errors: ValueError for one outside."""
        found = self.find(path)
        if found is None:
            raise ValueError(f"{path} is in none of the folders that were recorded")
        return found

    def find(self, path: str) -> str | None:
        """The same; None for one outside."""
        for source in self.sources:
            if path.startswith(source.rstrip("/") + "/"):
                return os.path.join(self.goal, path[len(source.rstrip("/")) + 1 :])
        return None


def needs_version(edit: Mapping[str, Any]) -> bool:
    """Whether the request means the file at one version only."""
    request = edit.get("request") or {}
    return edit["tool"] == "write" or (edit["tool"] == "edit" and "old_string" not in request)


def arguments_at(edit: Mapping[str, Any], places: Places) -> dict[str, Any]:
    """The request with its paths in the other checkout. Errors: ValueError."""
    request = {name: value for name, value in edit["request"].items() if value is not None}
    if "patch" in request:
        request["patch"] = _patch_at(request["patch"], edit["files"], places)
    if "file_path" in request:
        request["file_path"] = places.at_goal(edit["files"][0]["file_path"])
    request.pop("validate_only", None)
    return request


def _patch_at(patch: str, files: Sequence[Mapping[str, Any]], places: Places) -> str:
    known = [path for file in files for path in (file["file_path"], file.get("from")) if path]

    def there(spelled: str) -> str:
        """The recorded file that a header means: the one that is it, else the shortest that ends like it."""
        name = _UP.sub("", os.path.normpath(spelled.strip().removeprefix("file://")))
        fits = [path for path in known if path == spelled.strip() or path.endswith("/" + name)]
        return places.at_goal(min(fits, key=len)) if fits else spelled

    patch = _HEADER.sub(lambda found: found[1] + there(found[2]), patch)
    return _MOVE.sub(lambda found: found[1] + there(found[2]) + found[3] + there(found[4]), patch)


def moved_over(file: Mapping[str, Any], now: str | None) -> str | None:
    """What one recorded change makes of the text that is there; None where the file goes.

    Errors: ValueError with the reason where it no longer fits.
    """
    before, after = file["before"], file["after"]
    if file["version_before"] is None:
        if now is not None:
            raise ValueError("there is a file already")
        return _kept(after)
    if now is None:
        raise ValueError("there is no such file")
    if file["operation"] == "delete":
        if now != before:
            raise ValueError("the file that was deleted has another text here")
        return None
    found = take_back(_kept(before), _kept(after), now)
    if not isinstance(found, str):
        lines = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in found)
        raise ValueError(f"lines {lines} are different here")
    return found


def _kept(text: str | None) -> str:
    if text is None:
        raise ValueError("its text is not kept any more")
    return text
