"""Values that nobody sends on purpose.

Never: what has to be answered; the tests hold that.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

FEWER = settings(max_examples=settings().max_examples // 4)
"""For tests that put a whole server up, or a batch of messages in each example."""

ODD_TEXT = st.sampled_from(
    [
        *(
            "",
            " ",
            "\0",
            "\ud800",
            "é",
            "\u2028",
            "..",
            "/",
            "~",
            "a\nb",
            "%s",
            "file:",
            "file:///%00",
            "file://host/x",
        ),
        *(
            "untitled:x",
            "main",
            "-1",
            "null",
            "a.txt",
            "d/../a.txt",
            ".git/config",
            "x" * 5_000,
            "\x1b[2J",
            "*",
            "[",
            "(",
        ),
        *(
            "*** Begin Patch",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n",
        ),
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**31, 2**53, 2**63, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e308])
    | ODD_TEXT
    | st.text(max_size=20)
)
ODD = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(ODD_TEXT | st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
BROKEN_LINES = st.sampled_from(
    [
        *(
            b"",
            b" ",
            b"{",
            b"}",
            b"nonsense",
            b"\xff\xfe",
            b"\x00" * 100,
            b"[" * 5_000,
            b'{"a":' * 5_000,
            b"NaN",
            b"1e999",
        ),
        *(
            b'{"id":1e400}',
            b'{"jsonrpc":"2.0","id":1}',
            b"\xef\xbb\xbf{}",
            b'"\\ud800"',
            b"[]",
            b"[[],[]]",
            b"[1,2,3]",
        ),
    ]
)


def line_of(value: object) -> bytes:
    """As JSON on one line, lone surrogates escaped."""
    return json.dumps(value, allow_nan=True).encode("ascii")


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that have each of these fields or do not, sometimes with another value than they should."""
    return st.fixed_dictionaries({}, optional={name: one | ODD for name, one in fields.items()})
