"""A process to be broken: makes one fixed change of 20 files, or of one, or recovers from it.

Usage: fault_driver.py (all|many|replace|create|move|remove|linked|recover) WORKSPACE JOURNALS. Prints one JSON object.
`build` makes the workspace.
Run under strace, which fails a system call or kills the process; the call `stat("/fault-driver-starts-here")`
marks where the interesting ones begin.

Never: imported for anything but `build`, `picture` and the marker.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editor_clients.disk_changes import DiskChange

MARKER = "/fault-driver-starts-here"
CONTENT = "".join(f"line {number}\n" for number in range(40))


def build(workspace: Path) -> None:
    """The files before the change."""
    for name in ("a", "b", "c", "d", "e", "f"):
        _write(workspace / f"replaced-{name}.txt", f"{name}\n{CONTENT}")
    os.chmod(workspace / "replaced-a.txt", 0o640)
    for name in ("a", "b"):
        _write(workspace / f"moved/{name}.txt", f"{name}\n{CONTENT}")
        _write(workspace / f"renamed/{name}.txt", f"{name}\n{CONTENT}")
        _write(workspace / f"removed/{name}.txt", f"{name}\n{CONTENT}")
        _write(workspace / f"linked/{name}.txt", f"{name}\n{CONTENT}")
        os.link(workspace / f"linked/{name}.txt", workspace / f"linked/{name}-too.txt")
        _write(workspace / f"swapped-{name}.txt", f"{name}\n{CONTENT}")
    os.symlink("replaced-f.txt", workspace / "link")


def picture(workspace: Path) -> dict[str, object]:
    """Every name with all that a change could spoil: kind, mode, content, and which names are one file."""
    found: dict[str, object] = {}
    first: dict[int, str] = {}
    for path in sorted(workspace.rglob("*")):
        name = str(path.relative_to(workspace))
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            found[name] = ("link", os.readlink(path))
        elif stat.S_ISDIR(status.st_mode):
            found[name] = ("folder", stat.S_IMODE(status.st_mode))
        else:
            same = first.setdefault(status.st_ino, name)
            found[name] = ("file", stat.S_IMODE(status.st_mode), path.read_text(), same)
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _changes(workspace: Path, wanted: str) -> list[DiskChange]:
    from editor_clients.disk_changes import ABSENT, MoveFile, RemoveFile, WriteBytes

    def at(name: str) -> str:
        return str(workspace / name)

    def old(name: str) -> bytes:
        return (workspace / name).read_bytes()

    def replaced(name: str) -> WriteBytes:
        return WriteBytes(at(name), b"new " + old(name), old(name))

    deep = WriteBytes(at("new/deep/made.txt"), b"made\n", ABSENT)
    alone: dict[str, DiskChange] = {
        "replace": replaced("replaced-a.txt"),
        "create": deep,
        "move": MoveFile(at("renamed/a.txt"), at("renamed-a.txt"), old("renamed/a.txt")),
        "remove": RemoveFile(at("removed/a.txt"), old("removed/a.txt")),
        "linked": replaced("linked/a.txt"),
    }
    if wanted == "many":  # enough to be flushed side by side
        return [WriteBytes(at(f"many/{number}.txt"), b"made\n", ABSENT) for number in range(40)]
    if wanted in alone:
        return [alone[wanted]]
    changes: list[DiskChange] = [replaced(f"replaced-{name}.txt") for name in "abcdef"]
    changes += [deep, WriteBytes(at("made.txt"), b"made\n", ABSENT)]
    changes.append(WriteBytes(at("new/made.sh"), b"made\n", ABSENT, mode=0o755))
    for name in ("a", "b"):
        source = f"moved/{name}.txt"
        changes.append(MoveFile(at(source), at(f"moved/to/{name}.txt"), old(source), b"new " + old(source)))
        source = f"renamed/{name}.txt"
        changes.append(MoveFile(at(source), at(f"renamed-{name}.txt"), old(source)))
        changes.append(RemoveFile(at(f"removed/{name}.txt"), old(f"removed/{name}.txt")))
        changes.append(replaced(f"linked/{name}.txt"))
    a, b = "swapped-a.txt", "swapped-b.txt"
    changes.append(MoveFile(at(a), at(b), old(a), expect_dst=old(b)))
    changes.append(MoveFile(at(b), at(a), old(b), expect_dst=old(a)))
    changes.append(RemoveFile(at("link"), old("link")))
    return changes


def _publish(workspace: Path, journals: str, wanted: str) -> None:
    from editor_clients.transaction import publish
    from editor_clients.walls import Walls

    walls = Walls([str(workspace)])
    changes = _changes(workspace, wanted)
    _mark()
    publish(changes, journal_dir=journals, walls=walls)


def _recover(workspace: Path, journals: str) -> list[object]:
    from editor_clients.recovery import recover
    from editor_clients.walls import Walls

    walls = Walls([str(workspace)])
    _mark()
    return [[item.outcome, len(item.not_restored)] for item in recover(journals, walls)]


def _mark() -> None:
    with contextlib.suppress(OSError):
        os.stat(MARKER)


def main() -> None:
    """Do what the arguments say."""
    from ledger.errors import CoeditorError

    action, workspace, journals = sys.argv[1:]
    try:
        answer: dict[str, object] = {"ok": True}
        if action == "recover":
            answer["recovered"] = _recover(Path(workspace), journals)
        else:
            _publish(Path(workspace), journals, action)
    except CoeditorError as error:
        answer = error.to_object()
    os.write(1, json.dumps(answer).encode())


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
