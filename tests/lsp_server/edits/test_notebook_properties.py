"""What holds for every notebook, however it is written."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements
from lsp_server.edits.notebook import Mode, edit_cell
from tests.lsp_server.edits.test_notebook import STYLES, notebook, written


def folded(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
LISTS = st.lists(TEXTS, max_size=4)
CELLS = st.builds(
    lambda kind, source, extra: (
        {"cell_type": kind, "metadata": extra, "source": source}
        | ({"outputs": [extra], "execution_count": 1} if kind == "code" else {})
    ),
    st.sampled_from(["code", "markdown", "raw"]),
    TEXTS | LISTS,
    st.dictionaries(TEXTS, TEXTS | st.integers() | st.none(), max_size=2),
)


@given(
    cells=st.lists(CELLS, min_size=1, max_size=4),
    style=st.sampled_from(STYLES),
    mode=st.sampled_from(["replace", "insert", "delete"]),
    source=TEXTS,
    kind=st.sampled_from(["code", "markdown", "raw"]),
    data=st.data(),
)
def test_only_the_cell_meant_changes(
    cells: list[dict[str, Any]],
    style: dict[str, Any],
    mode: Mode,
    source: str,
    kind: str,
    data: st.DataObject,
) -> None:
    text = written(notebook(*cells, minor=4), **style)
    at = data.draw(st.integers(0, len(cells) - 1))
    has_it = cells[at]["cell_type"] == kind and folded("".join(cells[at]["source"])) == folded(source)
    assume(mode != "replace" or not has_it)
    found = edit_cell(text, mode, f"#{at + 1}", source, kind)
    after = json.loads(apply_replacements(text, found.replacements))["cells"]
    kept = cells[:at] + cells[at + 1 :]
    if mode == "delete":
        assert after == kept
        return
    new = after.pop(at if mode == "replace" else at + 1)
    assert after == (kept if mode == "replace" else cells)
    assert new["cell_type"] == kind
    assert ("outputs" in new) == ("execution_count" in new) == (kind == "code")
    assert new.get("outputs", []) == []
    assert folded("".join(new["source"])) == folded(source)
