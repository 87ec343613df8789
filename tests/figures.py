"""What the fault, fuzz and load suites record about themselves, added up at the end of a run.

A test says it with ``record_property``: numbers under ``COUNTED``, and under ``load held`` a sentence.

Never: a judgement; a test that finds something lost fails by itself.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

COUNTED = ("faults survived", "kills survived", "bad inputs tried", "lost")
HELD = "load held"
FUZZED = (
    "tests/fuzz/",
    "tests/lsp_server/hooks/test_dialects.py",
    "tests/lsp_server/edits/test_v4a_parse",
    "tests/lsp_server/test_settings.py",
    "tests/editor_clients/test_recovery.py",
    "tests/editor_clients/test_lsp_stdio.py",
)
"""Where hypothesis makes what nobody sends on purpose."""


def counting(item: pytest.Item) -> Iterator[None]:
    """Around a test's call: note how many examples it was given, if it is one of ``FUZZED``."""
    test = getattr(getattr(item, "obj", None), "hypothesis", None)
    if test is None or not item.nodeid.startswith(FUZZED):
        yield
        return
    inner, tried = test.inner_test, 0

    @functools.wraps(inner)
    def counted(*args: Any, **more: Any) -> Any:
        nonlocal tried
        tried += 1
        return inner(*args, **more)

    test.inner_test = counted
    try:
        yield
    finally:
        test.inner_test = inner
        item.user_properties.append(("bad inputs tried", tried))


def lines_of(properties: Iterable[tuple[str, object]]) -> list[str]:
    """For people; nothing where nothing was recorded."""
    counted, held = Counter[str](), list[str]()
    for name, value in properties:
        if name == HELD:
            held.append(f"{HELD}: {value}")
        elif name in COUNTED and isinstance(value, int):
            counted[name] += value
    if not held and not counted:
        return []
    counted.setdefault("lost", 0)
    return held + [f"{name}: {counted[name]:,}" for name in COUNTED if name in counted]
