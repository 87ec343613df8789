"""Streams of patches are few, each its session's, and none is kept for ever."""

from __future__ import annotations

from itertools import count

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_types import PatchLimits
from lsp_server.patch_streams import MOST, MOST_IDLE, PatchStreams


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def streams(clock: Clock) -> PatchStreams:
    names = count()
    return PatchStreams(clock=clock, new_name=lambda: f"n{next(names)}")


def begin(streams: PatchStreams, session: str = "s") -> str:
    return streams.begin(session, PatchLimits()).name


def is_there(streams: PatchStreams, name: str, session: str = "s") -> bool:
    try:
        return streams.find(session, name).name == name
    except CoeditorError as error:
        return error.code is not Code.INVALID_ARGUMENT


def test_a_stream_is_its_sessions_alone(streams: PatchStreams) -> None:
    name = begin(streams)
    assert not is_there(streams, name, "other")
    assert not is_there(streams, "nope")
    assert is_there(streams, name)


def test_what_is_taken_is_gone_until_it_is_put_back(streams: PatchStreams) -> None:
    name = begin(streams)
    taken = streams.take("s", name)
    assert not is_there(streams, name)
    streams.put_back(taken)
    assert is_there(streams, name)


def test_the_most_idle_one_makes_room(streams: PatchStreams, clock: Clock) -> None:
    names = []
    for _ in range(MOST):
        clock.now += 1
        names.append(begin(streams))
    assert is_there(streams, names[0])
    names.append(begin(streams, "other"))
    assert len(streams) == MOST
    assert [is_there(streams, name) for name in names[:3]] == [True, False, True]


def test_the_abandoned_are_dropped(streams: PatchStreams, clock: Clock) -> None:
    old, used = begin(streams), begin(streams)
    clock.now = MOST_IDLE - 1
    assert is_there(streams, used)
    clock.now = MOST_IDLE + 1
    assert not is_there(streams, old)
    assert is_there(streams, used)
    assert len(streams) == 1


def test_a_refused_patch_keeps_no_text_and_its_refusal(streams: PatchStreams) -> None:
    stream = streams.begin("s", PatchLimits(patch_bytes=100))
    stream.append("*** Begin Patch\n")
    for _ in range(2):
        with pytest.raises(CoeditorError) as caught:
            stream.append("x" * 100)
        assert caught.value.code is Code.FS_TOO_LARGE
    assert stream.pieces == []
    with pytest.raises(CoeditorError):
        stream.whole()
