"""What is held against mutants, in which order, and which tests are to kill them.

Never: a run.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FIRST = (
    "editor_clients/lines.py",
    *(
        f"lsp_server/edits/{name}.py"
        for name in ("matching", "hits", "choosing", "folding", "fitting", "blocks", "indentation", "elided")
    ),
    *(f"lsp_server/edits/{name}.py" for name in ("respelling", "literal", "by_lines", "levels", "pasted")),
)
"""What decides where an edit goes and what it writes; the rest of ``edits`` follows."""

_HERE = "tests/lsp_server/edits"
_OF_TEXTS = tuple(
    f"{_HERE}/test_{name}.py"
    for name in (
        "blocks",
        "choosing",
        "elided",
        "fitting",
        "folding",
        "indentation",
        "literal",
        "matching",
        "matching_edges",
        "misses",
        "pasted",
        "respelling",
        "matching_properties",
    )
)
_OF_PATCHES = {
    "parse": ("parse", "reader", "counts", "build", "place", "types"),
    "apply": ("apply", "locate", "anchors"),
    "plan": ("plan", "picture", "rows"),
}
"""Which tests of patches hold which of their modules."""
_OF = {
    "blame": (f"{_HERE}/test_blame.py",),
    "pending": (f"{_HERE}/test_pending.py",),
    **{
        f"v4a_{name}": (f"{_HERE}/test_v4a_{tests}.py",)
        for tests, names in _OF_PATCHES.items()
        for name in names
    },
    **{
        f"v4a_{name}": (f"{_HERE}/test_v4a_{name}.py",)
        for name in ("lines", "misses", "occupied", "origins", "refusals", "tolerance")
    },
    "json_layout": (f"{_HERE}/test_json_layout.py", f"{_HERE}/test_notebook_view.py"),
    "notebook_view": (f"{_HERE}/test_notebook_view.py",),
    **dict.fromkeys(
        ("notebook", "notebook_cells", "notebook_style"),
        tuple(f"{_HERE}/test_{name}.py" for name in ("notebook", "notebook_style", "notebook_view")),
    ),
    "by_lines": (f"{_HERE}/test_by_lines.py",),
    "lines": ("tests/editor_clients/test_lines.py", f"{_HERE}/test_matching_edges.py"),
    "syntax": (f"{_HERE}/test_syntax.py",),
    "three_way": (f"{_HERE}/test_three_way.py",),
    "rebase": (f"{_HERE}/test_rebase.py",),
    "nearest": (f"{_HERE}/test_nearest.py", f"{_HERE}/test_misses.py"),
    **dict.fromkeys(
        ("misses", "enclosing", "visible"),
        tuple(f"{_HERE}/test_{name}.py" for name in ("misses", "misses_told", "matching_edges")),
    ),
}


def everything() -> list[str]:
    """All modules, those that matter most first."""
    rest = sorted(str(one.relative_to(ROOT)) for one in (ROOT / "lsp_server" / "edits").glob("[!_]*.py"))
    return [*FIRST, *(one for one in rest if one not in FIRST)]


def selection_of(module: str) -> tuple[str, ...]:
    """Files of tests; which of them reaches which function is found out by the run."""
    name = module.rpartition("/")[2].removesuffix(".py")
    return _OF.get(name, _OF_TEXTS if module in FIRST else (_HERE,))
