"""What the operating system's refusals mean to whoever asked: one code, one sentence with the remedy.

Never: a traceback, a bare errno, or a path that was not asked about.
"""

from __future__ import annotations

import errno

from ledger.errors import Code, CoeditorError

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the disk quota is used up; free some space and try again",
    errno.EROFS: "the file system is read-only; ask for it to be made writable",
    errno.EACCES: "permission was denied; ask for the file and its folder to be made writable",
    errno.EPERM: "it is not permitted (the file may be immutable, or somebody else's); ask its owner",
    errno.EMFILE: "too many files are open in this process; try again in a moment",
    errno.ENFILE: "too many files are open on this machine; try again in a moment",
    errno.EIO: "the disk reported an input/output error; check the disk, then read the file again",
    errno.ESTALE: "the server of this file system no longer knows the file; read it again",
    errno.ETIMEDOUT: "the server of this file system does not answer; try again when it does",
    errno.ENOTCONN: "the server of this file system is gone; mount it again",
    errno.ELOOP: "it is a loop of symbolic links; repair the links, or name the file itself",
    errno.ENAMETOOLONG: "the name is too long for this file system; choose a shorter one",
    errno.EBUSY: "the file is in use by the system; try again later",
    errno.ETXTBSY: "the file is a program that is running; stop it first",
    errno.EFBIG: "the file would be larger than the system allows; write less",
}


_UNREADABLE = "permission was denied; ask for the file to be made readable"


class SizeError(OSError):
    """All was written without a complaint, and the file has another size."""

    def __init__(self, path: str, *, expected: int, actual: int) -> None:
        super().__init__(errno.EIO, "the file has another size than what was written", path)
        self.expected = expected
        self.actual = actual


def disk_error(error: OSError, path: str, *, doing: str = "write") -> CoeditorError:
    """The error to raise for ``error`` met at ``path``; ``doing`` is the verb for the sentence."""
    if error.errno == errno.ENOENT:
        return CoeditorError(Code.FS_NOT_FOUND, f"{path} does not exist.", file_path=path)
    if error.errno == errno.ENOTDIR:
        return through_file(path)
    if error.errno == errno.EISDIR:
        return not_a_file(path, "folder")
    if error.errno == errno.EEXIST:
        return already_exists(path)
    if isinstance(error, SizeError):
        return _wrong_size(error, path)
    number = error.errno or 0
    name = errno.errorcode.get(number, "EIO")
    remedy = _REMEDIES.get(number, f"the system said: {error.strerror or 'unknown error'}")
    if number == errno.EACCES and doing in ("read", "reach"):
        remedy = _UNREADABLE
    return CoeditorError(
        Code.FS_IO, f"Could not {doing} {path}: {remedy} ({name}).", file_path=path, data={"errno": name}
    )


def _wrong_size(error: SizeError, path: str) -> CoeditorError:
    message = (
        f"Could not write {path}: {error.actual} of {error.expected} bytes are there although the file system said"
        " that all were written; write it from the machine that the files are on (EIO)."
    )
    sizes = {"expected": error.expected, "actual": error.actual}
    return CoeditorError(Code.FS_IO, message, file_path=path, data={"errno": "EIO", "sizes": sizes})


def already_exists(path: str) -> CoeditorError:
    """Something has the name already."""
    message = f"{path} exists already; read it and edit it, or choose another name."
    return CoeditorError(Code.FS_ALREADY_EXISTS, message, file_path=path)


def through_file(path: str) -> CoeditorError:
    """One of the path's folders is a file."""
    message = f"{path} does not exist: a part of its path is a file, not a folder. Check the path."
    return CoeditorError(Code.FS_NOT_FOUND, message, file_path=path)


def not_a_file(path: str, kind: str) -> CoeditorError:
    """Something that is no regular file; ``kind`` names it."""
    message = f"{path} is a {kind}, not a regular file; name a file."
    return CoeditorError(Code.FS_NOT_REGULAR_FILE, message, file_path=path, data={"kind": kind})


def stale(path: str, *, vanished: bool = False) -> CoeditorError:
    """The bytes on disk are not those that the caller took them for."""
    how = "is gone" if vanished else "has changed on disk"
    data: dict[str, object] = {"target": path}
    if vanished:
        data["vanished"] = True
    message = f"{path} {how} since it was seen; read it again."
    return CoeditorError(Code.FS_STALE_VERSION, message, file_path=path, data=data)


def denied(path: str, rule: str, why: str) -> CoeditorError:
    """A wall; ``rule`` as README, "Errors" lists them."""
    return CoeditorError(Code.FS_DENIED, f"{path} {why}", file_path=path, data={"rule": rule})


def transaction_failed(cause: CoeditorError, state: dict[str, object]) -> CoeditorError:
    """Of several changes: which of them could not be put back is in ``state``."""
    if state["rolled_back"]:
        outcome = "nothing was changed."
    elif state["not_restored"]:
        outcome = "files that somebody else changed meanwhile were left; see not_restored."
    else:
        outcome = "it could not all be put back yet; that is tried again at the next start."
    message = f"The change of several files failed and {outcome} The cause: {cause.message}"
    data = {"cause": cause.to_object(), **state}
    return CoeditorError(Code.FS_TRANSACTION_FAILED, message, file_path=cause.file_path, data=data)
