"""The one error that every part of Coeditor raises and every door reports.

::

    CoeditorError
      .code       one of Code, the only thing a program should branch on
      .message    one sentence for a person or a model, with the remedy
      .file_path  the path as it was asked for, when one file is meant
      .data       JSON-ready details (README, "Errors")

Never: subclasses per code, or an error without a code.
"""

from __future__ import annotations

from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:  # the relay and the hook read this file before they answer: no import that costs time
    from collections.abc import Mapping
    from typing import Any


class Code(StrEnum):
    """Every code that can reach the outside (README, "Errors")."""

    FS_NOT_OBSERVED = "FS_NOT_OBSERVED"
    FS_PARTIALLY_OBSERVED = "FS_PARTIALLY_OBSERVED"
    FS_NOT_FOUND = "FS_NOT_FOUND"
    FS_ALREADY_EXISTS = "FS_ALREADY_EXISTS"
    FS_STALE_VERSION = "FS_STALE_VERSION"
    FS_UNSAVED_CHANGES = "FS_UNSAVED_CHANGES"
    FS_NO_MATCH = "FS_NO_MATCH"
    FS_AMBIGUOUS_MATCH = "FS_AMBIGUOUS_MATCH"
    FS_NO_CHANGE = "FS_NO_CHANGE"
    FS_INVALID_PATCH = "FS_INVALID_PATCH"
    FS_NOT_TEXT = "FS_NOT_TEXT"
    FS_ENCODING = "FS_ENCODING"
    FS_NOT_REGULAR_FILE = "FS_NOT_REGULAR_FILE"
    FS_TOO_LARGE = "FS_TOO_LARGE"
    FS_DENIED = "FS_DENIED"
    FS_IO = "FS_IO"
    FS_EDITOR_REFUSED = "FS_EDITOR_REFUSED"
    FS_UNCONFIRMED = "FS_UNCONFIRMED"
    FS_TRANSACTION_FAILED = "FS_TRANSACTION_FAILED"
    FS_REWIND_CONFLICT = "FS_REWIND_CONFLICT"
    FS_TIMEOUT = "FS_TIMEOUT"
    FS_CANCELLED = "FS_CANCELLED"
    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    UNAUTHORIZED = "UNAUTHORIZED"
    NO_SERVER = "NO_SERVER"
    INTERNAL = "INTERNAL"


class CoeditorError(Exception):
    """A refusal or failure that a caller can meet; buffers and disk are as they were when it is raised."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        file_path: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.file_path = file_path
        self.data: dict[str, Any] = dict(data or {})

    def to_object(self) -> dict[str, Any]:
        """The JSON object of README, "Errors": ``ok`` false, then only the fields that are there."""
        found: dict[str, Any] = {"ok": False, "code": str(self.code), "message": self.message}
        if self.file_path is not None:
            found["file_path"] = self.file_path
        if self.data:
            found["data"] = self.data
        return found
