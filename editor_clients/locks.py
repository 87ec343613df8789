"""Locks on targets: between tasks of this process, and between processes through files in the runtime folder.

A lock file is locked by the system, so that the lock ends with whoever holds it, also by SIGKILL. Locks are
taken in sorted order everywhere, so that two holders of several never wait for each other.

A lock file holds the number of its owner while it is held and is removed afterwards. One that is found free with a
number in it was left by a process that died, perhaps over a half-made change: that is said before the lock is
given to anyone.

Never: blocking the event loop, or a lock that outlives its owner.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import blake2b

from editor_clients.disk_errors import disk_error
from editor_clients.file_locks import try_lock
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FIRST_WAIT = 0.001
_LONGEST_WAIT = 0.01
_LONGEST_WAIT_AT_THE_FRONT = 0.004


class TargetLocks:
    """The locks of one event loop; other loops and processes meet it in ``folder``."""

    def __init__(
        self, folder: str, *, on_dead_owner: Callable[[TargetKey], Awaitable[None]] | None = None
    ) -> None:
        """``on_dead_owner`` is awaited with the lock held; when it raises, the next one in line is told again."""
        self._folder = folder
        self._on_dead_owner = on_dead_owner
        self._queues: dict[TargetKey, _Queue] = {}
        os.makedirs(folder, mode=0o700, exist_ok=True)

    @asynccontextmanager
    async def hold(self, keys: Iterable[TargetKey], *, deadline: float | None = None) -> AsyncIterator[None]:
        """Hold all of ``keys`` inside the block; ``deadline`` is a moment on the running loop's clock.

        A task must not ask again for what it holds. Errors: FS_TIMEOUT when the deadline passes first;
        nothing is held then, nor after a cancellation.
        """
        async with AsyncExitStack() as held:
            for key in sorted(set(keys)):
                await held.enter_async_context(self._hold_one(key, deadline))
            yield

    @asynccontextmanager
    async def _hold_one(self, key: TargetKey, deadline: float | None) -> AsyncIterator[None]:
        queue = self._queues.setdefault(key, _Queue())
        queue.users += 1
        try:
            await queue.enter(key, deadline)
            try:
                path = os.path.join(self._folder, _file_name(key))
                descriptor = await _take(path, key, deadline)
                try:
                    await self._own(descriptor, key)
                except BaseException:
                    os.close(descriptor)
                    raise
                try:
                    yield
                finally:
                    _let_go(path, descriptor)
            finally:
                queue.lock.release()
        finally:
            queue.users -= 1
            if queue.users == 0:
                del self._queues[key]

    async def _own(self, descriptor: int, key: TargetKey) -> None:
        """Sign the lock file; whoever died over it first gets his work looked after."""
        if os.fstat(descriptor).st_size > 0 and self._on_dead_owner is not None:
            await self._on_dead_owner(key)
        try:
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        except OSError as error:
            raise disk_error(error, key, doing="lock") from error


class _Queue:
    """Tasks of this loop that want one key, first come first served."""

    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0

    async def enter(self, key: TargetKey, deadline: float | None) -> None:
        if not self.lock.locked():
            await self.lock.acquire()  # at once, so that no deadline need be kept
            return
        try:
            async with asyncio.timeout_at(deadline):
                await self.lock.acquire()
        except TimeoutError as error:
            raise _timed_out(key) from error


def _file_name(key: TargetKey) -> str:
    return blake2b(key.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest() + ".lock"


async def _take(path: str, key: TargetKey, deadline: float | None) -> int:
    """A descriptor that holds the lock of ``path``.

    Whoever waits for it holds the turnstile before it, so that one who lets go and comes back at once, or a crowd
    of newcomers, cannot pass a waiting one again and again. Where nobody waits there is none.
    """
    turnstile = path + ".next"
    if not _is_there(turnstile) and (free := _try_lock_file(path, key)) is not None:
        return free
    turn = await _flock(turnstile, key, deadline, _LONGEST_WAIT)
    try:
        return await _flock(path, key, deadline, _LONGEST_WAIT_AT_THE_FRONT)
    finally:
        _let_go(turnstile, turn)


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


async def _flock(path: str, key: TargetKey, deadline: float | None, longest: float) -> int:
    """A descriptor that holds the lock of ``path``; looks for it at least every ``longest`` seconds."""
    loop = asyncio.get_running_loop()
    wait = _FIRST_WAIT
    while True:
        descriptor = _try_lock_file(path, key)
        if descriptor is not None:
            return descriptor
        if deadline is not None:
            left = deadline - loop.time()
            if left <= 0:
                raise _timed_out(key)
            wait = min(wait, left)
        await asyncio.sleep(wait)
        wait = min(wait * 2, longest)


def _try_lock_file(path: str, key: TargetKey) -> int | None:
    try:
        return _try_flock(path)
    except OSError as error:
        raise disk_error(error, key, doing="lock") from error


def _try_flock(path: str) -> int | None:
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        # Whoever held it may have removed the file meanwhile; then this is a lock that nobody else finds.
        if try_lock(descriptor) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except OSError as error:
        os.close(descriptor)
        if error.errno == errno.ENOENT:
            return None
        raise
    os.close(descriptor)
    return None


def _let_go(path: str, descriptor: int) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _timed_out(key: TargetKey) -> CoeditorError:
    message = f"{key} is being edited by somebody else and did not become free in time; try again."
    return CoeditorError(Code.FS_TIMEOUT, message, file_path=str(key))
