"""Texts that are hard to get right: odd line ends, look-alikes of line ends, characters of every width."""

from __future__ import annotations

from hypothesis import strategies as st

ODD = [
    "\n",
    "\r\n",
    "\r",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "é",
    "e\u0301",
    "棚",
    "😀",
    "\t",
]

texts = st.lists(st.one_of(st.sampled_from(["\n", "\r\n", "\r", "a", "b", " "]), st.sampled_from(ODD))).map(
    "".join
)
"""Short pieces, so that ends, empty lines and repetitions meet often."""

any_texts = st.one_of(texts, st.text(st.characters(exclude_categories=["Cs"])))


@st.composite
def changed_texts(draw: st.DrawFn, base: st.SearchStrategy[str] = texts) -> tuple[str, str]:
    """A text, and the same one with a few slices replaced."""
    before = draw(base)
    after = before
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(after)))
        end = draw(st.integers(start, min(len(after), start + 6)))
        after = after[:start] + draw(base)[:8] + after[end:]
    return before, after


text_pairs = st.one_of(changed_texts(), st.tuples(texts, texts))
