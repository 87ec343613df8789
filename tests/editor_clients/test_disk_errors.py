"""The system's refusals in words: what was asked of the disk decides what has to be allowed."""

from __future__ import annotations

import errno

import pytest

from editor_clients.disk_errors import disk_error
from ledger.errors import Code


@pytest.mark.parametrize(("doing", "wanted"), [("read", "made readable"), ("write", "made writable")])
def test_a_permission_that_lacks_is_named(doing: str, wanted: str) -> None:
    error = disk_error(PermissionError(errno.EACCES, "denied"), "/w/a.py", doing=doing)
    assert (error.code, error.data["errno"]) == (Code.FS_IO, "EACCES")
    assert f"Could not {doing} /w/a.py" in error.message
    assert wanted in error.message
