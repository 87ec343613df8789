"""Texts and snapshots by content: one copy, bounded, and never a wrong one."""

from __future__ import annotations

import random
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.contents import Contents
from ledger.ledger import Ledger
from ledger.limits import Limits
from ledger.store import Database
from ledger.types import Caller, FileRecord, FileState, ScopeKey, TargetKey, token_of, token_of_utf8


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def noise(size: int, seed: int) -> bytes:
    """Bytes that do not compress."""
    return random.Random(seed).randbytes(size)


def contents(limits: Limits, clock: Clock | None = None) -> Contents:
    return Contents(Database(None), clock or Clock(), limits)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_a_kept_text_comes_back(text: str) -> None:
    store = contents(Limits(memory=0))
    store.keep_text(token_of(text), text)
    store.keep_text(token_of("other"), "other")
    assert store.text_of(token_of(text)) == text
    assert store.text_of(token_of(text + "!")) is None


def test_plain_utf8_bytes_and_their_text_share_one_copy() -> None:
    store = contents(Limits())
    text = "größer\n" * 100
    key = store.put_blob(text.encode())
    size = store.stored_size()
    store.keep_text(token_of(text), text)
    assert store.put_blob(text.encode()) == key == token_of(text)
    assert store.stored_size() == size > 0
    assert store.get_blob(token_of(text)) == text.encode()


def test_what_a_step_stored_that_was_taken_back_is_stored_again() -> None:
    database = Database(None)
    store = Contents(database, Clock(), Limits())
    kept = store.put_blob(b"from before")
    with suppress(ZeroDivisionError), database.transaction():
        store.put_blob(b"inside")
        raise ZeroDivisionError
    assert store.get_blob(token_of_utf8(b"inside")) is None
    with database.transaction():
        key = store.put_blob(b"inside")
        assert store.put_blob(b"inside") == key
    assert [store.get_blob(each or "") for each in (kept, key)] == [b"from before", b"inside"]


def test_bytes_that_are_no_text_come_back_as_they_were() -> None:
    store = contents(Limits())
    key = store.put_blob(b"\x00\xff\xfe")
    assert key is not None
    assert store.get_blob(key) == b"\x00\xff\xfe"
    assert store.get_blob("v0") is None


def versions(count: int) -> list[bytes]:
    """Texts of which each is the one before with another line changed."""
    lines = [noise(30, number).hex() for number in range(40)]
    found = []
    for step in range(count):
        lines[step % 40] = noise(30, 1_000 + step).hex()
        found.append("\n".join(lines).encode())
    return found


def kept(store: Contents, texts: list[bytes]) -> list[str]:
    found = []
    for base, data in zip([None, *texts], texts, strict=False):
        key = store.put_blob(data, base=base)
        assert key is not None
        found.append(key)
    return found


def test_what_edits_made_takes_little_and_comes_back() -> None:
    store = contents(Limits())
    texts = versions(60)
    keys = kept(store, texts)
    assert [store.get_blob(key) for key in keys] == texts
    apart = contents(Limits())
    for data in texts:
        apart.put_blob(data)
    assert store.stored_size() < apart.stored_size() / 4


@pytest.mark.parametrize("base", [b"never stored", b"", None])
def test_a_base_that_is_not_stored_is_none(base: bytes | None) -> None:
    store = contents(Limits())
    (data,) = versions(1)
    key = store.put_blob(data, base=base)
    assert key is not None
    assert store.get_blob(key) == data


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 2**32))
def test_whatever_goes_first_nothing_else_is_lost(ages: list[int], seed: int) -> None:
    """Differences in a row, some used longer ago than what they are differences to."""
    clock = Clock()
    store = contents(Limits(memory=0), clock)
    texts = versions(len(ages))
    for base, data, age in zip([None, *texts], texts, ages, strict=False):
        now, clock.now = clock.now, clock.now - age * 90
        store.put_blob(data, base=base)
        clock.now = now
    store.trim(unused_since=clock.now - 100)
    chance = random.Random(seed)
    for data in chance.sample(texts, len(texts)):
        assert store.get_blob(token_of_utf8(data)) in (data, None)
    young = [data for data, age in zip(texts, ages, strict=True) if age == 0]
    assert all(store.get_blob(token_of_utf8(data)) == data for data in young)


def test_a_full_store_drops_the_oldest_and_writes_out_what_hangs_on_it() -> None:
    store = contents(Limits(store=30_000, memory=0))
    texts = versions(400)
    keys = kept(store, texts)
    store.trim()
    assert 0 < store.stored_size() <= 30_000
    found = [store.get_blob(key) for key in keys]
    left = next(at for at, data in enumerate(found) if data is not None)
    assert 0 < left < 399
    assert found[left:] == texts[left:]


def test_a_difference_to_another_text_than_it_says_is_nothing() -> None:
    database = Database(None)
    store = Contents(database, Clock(), Limits())
    one, two = versions(2)
    keys = [store.put_blob(one), store.put_blob(two, base=one)]
    database.run("UPDATE contents SET data = ? WHERE key = ?", (zlib.compress(b"x" * len(one)), keys[0]))
    assert store.get_blob(str(keys[1])) is None


def test_big_texts_are_in_memory_only_and_too_big_snapshots_nowhere() -> None:
    store = contents(Limits(text=10, blob=20, memory=1000))
    store.keep_text(token_of("x" * 11), "x" * 11)
    store.keep_text(token_of("é" * 6), "é" * 6)
    assert store.stored_size() == 0
    assert store.text_of(token_of("x" * 11)) == "x" * 11
    assert store.put_blob(b"y" * 21) is None
    assert store.put_blob(b"y" * 20) is not None


def test_memory_holds_the_texts_used_last() -> None:
    store = contents(Limits(text=0, memory=400))
    texts = [letter * 100 for letter in "abc"]
    store.keep_text(token_of(texts[0]), texts[0])
    store.keep_text(token_of(texts[1]), texts[1])
    assert store.text_of(token_of(texts[0])) == texts[0]
    store.keep_text(token_of(texts[2]), texts[2])
    assert [store.text_of(token_of(text)) is not None for text in texts] == [True, False, True]


def test_the_store_keeps_its_limit_and_drops_what_nobody_refers_to_first(tmp_path: Path) -> None:
    clock = Clock()
    limits = Limits(store=102_000)
    ledger = Ledger.open(str(tmp_path / "s" / "ledger.db"), clock=clock, limits=limits)
    keys = [ledger.put_blob(noise(10_000, seed)) for seed in range(3)]
    state = FileState(None, keys[0], "bytes")
    caller = Caller(ScopeKey("S"))
    ledger.mark_applied(
        ledger.intend(caller, "write", [FileRecord(TargetKey("/a"), "/a", "create", None, state)])
    )
    clock.now += 3600
    fresh = [ledger.put_blob(noise(10_000, seed)) for seed in range(100, 108)]
    ledger.compact()
    held = [key is not None and ledger.get_blob(key) is not None for key in [*keys, *fresh]]
    assert held == [True, False, False] + [True] * 8
    for seed in range(200, 260):
        assert ledger.put_blob(noise(10_000, seed)) is not None
    assert ledger.stored_size() <= 140_000
    ledger.compact()
    assert ledger.stored_size() <= 102_000
    ledger.close()
    assert (tmp_path / "s" / "ledger.db").stat().st_size < 250_000


def test_texts_that_nobody_used_for_long_go() -> None:
    clock = Clock()
    store = contents(Limits(memory=0), clock)
    store.keep_text(token_of("old"), "old")
    clock.now += 200
    store.keep_text(token_of("new"), "new")
    store.keep_text(token_of("x"), "x")
    store.trim(unused_since=clock.now - 100)
    assert store.text_of(token_of("old")) is None
    assert store.text_of(token_of("new")) == "new"


def test_the_file_stays_small_however_much_is_edited(tmp_path: Path) -> None:
    clock = Clock()
    limits = Limits(store=100_000, requests=50_000, entries=40)
    path = tmp_path / "s" / "ledger.db"
    ledger = Ledger.open(str(path), clock=clock, limits=limits)
    caller = Caller(ScopeKey("S"))
    sizes, last = [], None
    for number in range(90):
        clock.now += 3600
        before, after = (ledger.put_blob(noise(5_000, seed)) for seed in (number, number + 1))
        record = FileRecord(
            TargetKey("/a"), "/a", "update", FileState(None, before, "bytes"), FileState(None, after, "bytes")
        )
        last = ledger.intend(caller, "edit", [record], noise(3_000, number).hex())
        ledger.mark_applied(last, outcome=noise(3_000, number).hex())
        if number % 30 == 29:
            ledger.compact()
            sizes.append(path.stat().st_size)
    entries = ledger.entries(limit=None)
    assert len(entries) == 40
    assert max(sizes) < 500_000
    assert sizes[2] < sizes[1] * 1.1
    newest, oldest = ledger.entry(str(last)), ledger.entry(entries[-1].edit_id)
    assert newest is not None
    assert newest.request is not None
    assert oldest is not None
    assert (oldest.request, oldest.outcome) == (None, None)
    ledger.close()


def test_an_entry_that_is_under_way_keeps_its_request() -> None:
    ledger = Ledger.open(None, clock=Clock(), limits=Limits(requests=0))
    under_way = ledger.intend(Caller(ScopeKey("S")), "edit", [], "the request")
    ledger.compact()
    entry = ledger.entry(under_way)
    assert entry is not None
    assert entry.request == "the request"
