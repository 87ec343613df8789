"""Patterns, texts and folder trees that search tests are made of.

Never: an expectation; real programs say what is right.
"""

from __future__ import annotations

from hypothesis import strategies as st

_ATOMS = [
    r"a",
    r"b",
    r"K",
    r"s",
    r"é",
    r"ß",
    r".",
    r"\d",
    r"\w",
    r"\s",
    r"\W",
    r"\S",
    r"[ab]",
    r"[^a]",
    r"[a-z&&[^b]]",
    r"[[:alpha:]]",
    r"\b",
    r"\B",
    r"^",
    r"$",
    r"(a|b)",
    r"(?i:k)",
    r"(?i:[a-k])",
    r"\pL",
    r"\p{Lu}",
    r"\P{L}",
    r"[\w--a]",
    r"\x41",
    r"\u00e9",
    r"\.",
    r"-",
    r"\<",
    r"\>",
    r"(?i)S",
    r"(?s:.)",
    r"[]a]",
    r"[^]a]",
    r"[a-]",
    r"ı",
    r"İ",
    r"ſ",
    r"\n",
    r"[^\n]",
    r"x{2}",
    r"Σ",
    r"(?i)σ",
    r"(?U)",
]
_QUANTIFIERS = ["", "", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "??"]
_CHARACTERS = "abkKsSAB é\t_9²ßẞıİſΣσς\n\n\n.-x\u200d\u0301Ⓐ\x1c\x85\u2028\U0001f600"

patterns = st.lists(
    st.tuples(st.sampled_from(_ATOMS), st.sampled_from(_QUANTIFIERS), st.sampled_from(["", "", "", "|"])),
    min_size=1,
    max_size=5,
).map(lambda parts: "".join(atom + quantifier + bar for atom, quantifier, bar in parts).removesuffix("|"))

texts = st.lists(st.text(st.sampled_from(_CHARACTERS), max_size=14), min_size=1, max_size=8)

names = st.sampled_from(["a", "b", "ab", "a.b", "b.a", ".a", "A", "a b"])
ignore_lines = st.lists(
    st.tuples(
        st.sampled_from(["", "", "!", "/", "#"]),
        st.sampled_from(
            [
                "a",
                "b",
                "*",
                "*.b",
                "a*",
                "?",
                "[ab]",
                "[!a]",
                "**/a",
                "a/**",
                "a/**/b",
                "a/b",
                "/a",
                "a**",
                ".a",
                "a\\",
                "b",
                "\\a",
                "[a-]b",
                "a\\*",
                "a/*",
                "*/b",
                "**",
            ]
        ),
        st.sampled_from(["", "", "/", " ", "\r"]),
    ).map("".join),
    max_size=4,
)
trees = st.dictionaries(
    st.lists(names, min_size=1, max_size=3).map("/".join), st.just(""), min_size=1, max_size=12
)
