"""``python -m tests.faults.network_disk FOLDER``: a file system as a server elsewhere keeps it, by FUSE.

Others change files on it without any word (no inotify), times are of whole seconds, and it can be told more manners.
Each line of standard input is an object: ``write`` [name, text] is what somebody on another machine does, ``manners``
sets some; each is answered with a line.

Never: more of FUSE than our own programs use, or a file of more than memory.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import stat
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

HEAD, REPLY = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
ATTR, OPENED = struct.Struct("<QQQQQQIIIIIIIIII"), struct.Struct("<QII")
BLOCK = 4_096
_NO_ANSWER = {2, 36, 42}
"""FORGET, INTERRUPT, BATCH_FORGET."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How it differs from a disk here."""

    quota: int = 1 << 40
    """Bytes of all files; over that it is EDQUOT."""
    late: bool = False
    """That is found out when a file is flushed or closed, not when it is written."""
    keeps_open_names: bool = False
    """A file that is open cannot be renamed over (EBUSY)."""
    plain: bool = False
    """There are no hard links, no exclusive renames and no extended attributes."""
    remembers: int = 0
    """Seconds for which the system here takes sizes and times for what they were."""
    broken: dict[str, int] = field(default_factory=dict)
    """Error by operation: each is the answer to all of that name."""


@dataclass(eq=False, slots=True)
class Node:
    """A file, a folder or a link."""

    number: int
    mode: int
    data: bytearray = field(default_factory=bytearray)
    names: dict[bytes, Node] = field(default_factory=dict)
    mtime: int = 0
    links: int = 1
    opened: int = 0


class RefusedError(Exception):
    """An operation's error."""

    def __init__(self, number: int) -> None:
        self.number = number


class Disk:
    """The files, and what is answered to the system here."""

    def __init__(self) -> None:
        self.manners = Manners()
        self.nodes: dict[int, Node] = {}
        self.lock = threading.Lock()
        self.failed: Counter[str] = Counter()
        self._next = 0
        self.root = self._make(stat.S_IFDIR | 0o755)
        self._operations: dict[int, Callable[[Node, bytes], bytes]] = {
            1: self.lookup,
            3: self.getattr,
            4: self.setattr,
            5: self.readlink,
            6: self.symlink,
            9: self.mkdir,
            10: self.unlink,
            11: self.unlink,
            12: self.rename,
            13: self.link,
            14: self.open,
            15: self.read,
            16: self.write,
            17: self.statfs,
            18: self.release,
            20: self.fsync,
            25: self.fsync,
            26: self.init,
            27: self.opendir,
            28: self.readdir,
            29: self.nothing,
            30: self.nothing,
            35: self.create,
            38: self.nothing,
            45: self.rename2,
        }

    def serve(self, device: int) -> None:
        """Answer until it is unmounted."""
        while True:
            try:
                request = os.read(device, (1 << 20) + 4_096)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                    continue
                raise
            _, code, unique, number, *_ = HEAD.unpack_from(request)
            if code in _NO_ANSWER:
                continue
            try:
                with self.lock:
                    body, wrong = self._answer(code, number, request[HEAD.size :]), 0
            except RefusedError as refused:
                body, wrong = b"", -refused.number
            try:
                os.write(device, REPLY.pack(REPLY.size + len(body), wrong, unique) + body)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.EINVAL):  # the asker is gone
                    raise

    def elsewhere(self, name: str, text: str) -> None:
        """Somebody on another machine writes a file: as a new one in its place, as most programs do."""
        *folders, last = name.encode().split(b"/")
        with self.lock:
            node = self.root
            for one in folders:
                node = node.names[one]
            node.names[last] = self._make(stat.S_IFREG | 0o644, text.encode())

    def _make(self, mode: int, data: bytes = b"") -> Node:
        self._next += 1
        self.nodes[self._next] = Node(self._next, mode, bytearray(data), mtime=_now())
        return self.nodes[self._next]

    def _answer(self, code: int, number: int, body: bytes) -> bytes:
        operation = self._operations.get(code)
        if operation is None:
            raise RefusedError(errno.ENOSYS if code in (21, 22, 23, 24) or code > 30 else errno.EOPNOTSUPP)
        if (wrong := self.manners.broken.get(operation.__name__)) is not None:
            self.failed[operation.__name__] += 1
            raise RefusedError(wrong)
        return operation(self.nodes.get(number, self.root), body)

    def _child(self, folder: Node, name: bytes) -> Node:
        if (found := folder.names.get(name)) is None:
            raise RefusedError(errno.ENOENT)
        return found

    def _attributes(self, node: Node) -> bytes:
        size, when = len(node.data), node.mtime
        times = (when, when, when, 0, 0, 0)
        owner = (0, 0)
        return ATTR.pack(
            node.number, size, -(-size // 512), *times, node.mode, node.links, *owner, 0, BLOCK, 0
        )

    def _entry(self, node: Node) -> bytes:
        known = self.manners.remembers
        return struct.pack("<QQQQII", node.number, 0, 0, known, 0, 0) + self._attributes(node)

    def _touch(self, node: Node) -> None:
        node.mtime = _now()

    def _has_room(self, more: int = 0) -> None:
        if sum(len(node.data) for node in self.nodes.values() if node.links) + more > self.manners.quota:
            self.failed["quota"] += 1
            raise RefusedError(errno.EDQUOT)

    def init(self, node: Node, body: bytes) -> bytes:
        return struct.pack("<IIIIHHIIHHII6I", 7, 31, 1 << 17, 0, 12, 9, 1 << 17, 1, 0, 0, 0, 0, *[0] * 6)

    def nothing(self, node: Node, body: bytes) -> bytes:
        return b""

    def lookup(self, node: Node, body: bytes) -> bytes:
        return self._entry(self._child(node, body.rstrip(b"\0")))

    def getattr(self, node: Node, body: bytes) -> bytes:
        return struct.pack("<QII", self.manners.remembers, 0, 0) + self._attributes(node)

    def setattr(self, node: Node, body: bytes) -> bytes:
        valid, _, _, size, _, _, mtime, _, _, _, _, mode = struct.unpack_from("<IIQQQQQQIIII", body)
        if valid & 1:
            node.mode = mode
        if valid & 8:
            node.data[:] = node.data[:size].ljust(size, b"\0")
            self._touch(node)
        if valid & 32 and not valid & 256:
            node.mtime = mtime
        return self.getattr(node, body)

    def readlink(self, node: Node, body: bytes) -> bytes:
        return bytes(node.data)

    def symlink(self, node: Node, body: bytes) -> bytes:
        name, target, _ = body.split(b"\0")
        return self._entry(self._named(node, name, stat.S_IFLNK | 0o777, target))

    def _named(self, folder: Node, name: bytes, mode: int, data: bytes = b"") -> Node:
        if name in folder.names:
            raise RefusedError(errno.EEXIST)
        folder.names[name] = made = self._make(mode, data)
        self._touch(folder)
        return made

    def mkdir(self, node: Node, body: bytes) -> bytes:
        mode, _ = struct.unpack_from("<II", body)
        return self._entry(self._named(node, body[8:].rstrip(b"\0"), stat.S_IFDIR | mode & 0o7777))

    def unlink(self, node: Node, body: bytes) -> bytes:
        name = body.rstrip(b"\0")
        gone = self._child(node, name)
        if gone.names:
            raise RefusedError(errno.ENOTEMPTY)
        del node.names[name]
        gone.links -= 1
        self._touch(node)
        return b""

    def rename(self, node: Node, body: bytes) -> bytes:
        (number,) = struct.unpack_from("<Q", body)
        return self._rename(node, self.nodes[number], body[8:], 0)

    def rename2(self, node: Node, body: bytes) -> bytes:
        number, flags, _ = struct.unpack_from("<QII", body)
        return self._rename(node, self.nodes[number], body[16:], flags)

    def _rename(self, source: Node, target: Node, names: bytes, flags: int) -> bytes:
        old, new, _ = names.split(b"\0")
        moved, over = self._child(source, old), target.names.get(new)
        if flags and (self.manners.plain or flags != 1):
            raise RefusedError(errno.EINVAL)
        if over is not None and flags:
            raise RefusedError(errno.EEXIST)
        if over is not None and over.opened and self.manners.keeps_open_names:
            self.failed["rename over open"] += 1
            raise RefusedError(errno.EBUSY)
        if over is not None and over is not moved:
            over.links -= 1
        del source.names[old]
        target.names[new] = moved
        return b""

    def link(self, node: Node, body: bytes) -> bytes:
        if self.manners.plain:
            raise RefusedError(errno.EPERM)
        (number,) = struct.unpack_from("<Q", body)
        name, linked = body[8:].rstrip(b"\0"), self.nodes[number]
        if name in node.names:
            raise RefusedError(errno.EEXIST)
        node.names[name] = linked
        linked.links += 1
        return self._entry(linked)

    def open(self, node: Node, body: bytes) -> bytes:
        node.opened += 1
        return OPENED.pack(0, 1, 0)  # each read and write comes here

    def opendir(self, node: Node, body: bytes) -> bytes:
        return OPENED.pack(0, 0, 0)

    def create(self, node: Node, body: bytes) -> bytes:
        mode = struct.unpack_from("<IIII", body)[1]
        made = self._named(node, body[16:].rstrip(b"\0"), mode)
        made.opened += 1
        return self._entry(made) + OPENED.pack(0, 1, 0)

    def release(self, node: Node, body: bytes) -> bytes:
        node.opened -= 1
        return b""

    def read(self, node: Node, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(node.data[offset : offset + size])

    def write(self, node: Node, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        if not self.manners.late:
            self._has_room(size)
        node.data[offset : offset + size] = body[40 : 40 + size]
        self._touch(node)
        return struct.pack("<II", size, 0)

    def fsync(self, node: Node, body: bytes) -> bytes:
        """FSYNC, and FLUSH, which is the answer to a close."""
        if self.manners.late and node.data:
            self._has_room()
        return b""

    def statfs(self, node: Node, body: bytes) -> bytes:
        return struct.pack(
            "<QQQQQIIII6I", 1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, BLOCK, 255, BLOCK, 0, *[0] * 6
        )

    def readdir(self, node: Node, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        found = b""
        for at, (name, child) in enumerate(list(node.names.items())[offset:], start=offset + 1):
            one = struct.pack("<QQII", child.number, at, len(name), stat.S_IFMT(child.mode) >> 12) + name
            one = one.ljust(-(-len(one) // 8) * 8, b"\0")
            if len(found) + len(one) > size:
                break
            found += one
        return found


def _now() -> int:
    """As a server with coarse times has it: every other second."""
    return int(time.time()) // 2 * 2


def main() -> int:
    folder = sys.argv[1]
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    options = f"fd={device},rootmode=40755,user_id=0,group_id=0,default_permissions"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"elsewhere", folder.encode(), b"fuse", 6, options.encode()):
        print(json.dumps({"errno": ctypes.get_errno()}), flush=True)
        return 1
    disk = Disk()
    serving = threading.Thread(target=disk.serve, args=(device,))
    serving.start()
    print(json.dumps({"mounted": folder}), flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        if "write" in told:
            disk.elsewhere(*told["write"])
        if "manners" in told:
            disk.manners = replace(disk.manners, **told["manners"])
        print(json.dumps({"failed": dict(disk.failed)}), flush=True)
    libc.umount2(folder.encode(), 2)
    serving.join(30)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
