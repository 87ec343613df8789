"""The cells that an editor shows in the text of a notebook's file, which keeps everything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editor_clients.notebooks import CellText
from lsp_server.edits.notebook import EMPTY
from lsp_server.edits.notebook_view import JupyterForm

FORM = JupyterForm()
PLOT = (
    '{"cell_type": "code", "id": "p", "execution_count": 2, "metadata": {"k": 1.0e1}, "outputs": [ 7 ], '
    '"source": "plot()" }'
)
NOTE = '{"cell_type": "markdown", "id": "n", "source": ["# T\\n", "\\u00e9"]}'
TEXT = f'{{"cells": [ {PLOT} ,\n\n {NOTE}\n], "nbformat": 4, "nbformat_minor": 5}}\n'
P, N = CellText("code", "plot()", "p"), CellText("markdown", "# T\né", "n")


def shown(text: str) -> tuple[CellText, ...]:
    cells = FORM.cells_of(text)
    assert cells is not None
    return cells


def with_cells(text: str, *cells: CellText, clear: bool = False) -> str:
    after = FORM.with_cells(text, cells, clear=clear)
    assert after is not None
    assert [(cell.kind, cell.source) for cell in shown(after)] == [(cell.kind, cell.source) for cell in cells]
    return after


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (TEXT, (P, N)),
        ("", ()),
        (" \n", ()),
        (EMPTY, ()),
        ('{"cells": [{"cell_type": "raw"}], "nbformat": 4}', (CellText("raw", "", None),)),
        ('{"cells": [], "nbformat": 3}', None),
        ("x", None),
    ],
)
def test_cells_of_a_text(text: str, cells: tuple[CellText, ...] | None) -> None:
    assert FORM.cells_of(text) == cells
    if cells is None:
        assert FORM.with_cells(text, (P,), clear=False) is None
    else:
        assert FORM.with_cells(text, cells, clear=False) == text


@pytest.mark.parametrize(
    ("cells", "after"),
    [
        pytest.param((CellText("code", "show()", "p"), N), TEXT.replace("plot()", "show()"), id="a-source"),
        pytest.param(
            (P, CellText("markdown", "# T\ne", "n")), TEXT.replace("\\u00e9", "e"), id="a-last-line"
        ),
        pytest.param((P, CellText("raw", "# T\né", "n")), TEXT.replace("markdown", "raw"), id="only-a-kind"),
        pytest.param((N,), TEXT.replace(f" {PLOT} ,\n\n ", " "), id="the-first-taken"),
        pytest.param((P,), TEXT.replace(f" ,\n\n {NOTE}", ""), id="the-last-taken"),
        pytest.param((), TEXT.replace(TEXT[TEXT.index("[") : TEXT.rindex("]") + 1], "[]"), id="all-taken"),
        pytest.param(
            (P, CellText("raw", "x", "r"), N),
            TEXT.replace(
                f" ,\n\n {NOTE}",
                f' ,\n\n {{"cell_type": "raw", "id": "r", "metadata": {{}}, "source": "x" }},\n\n {NOTE}',
            ),
            id="one-between",
        ),
    ],
)
def test_what_no_cell_says_is_the_files(cells: tuple[CellText, ...], after: str) -> None:
    assert with_cells(TEXT, *cells) == after


def test_line_ends_are_the_files() -> None:
    """An editor shows ``\\n`` for each of them."""
    text = TEXT.replace("# T\\n", "# T\\r\\n")
    assert FORM.with_cells(text, (P, N), clear=False) == text


@pytest.mark.parametrize("clear", [False, True])
def test_results_go_with_a_change_only_where_that_is_asked_for(clear: bool) -> None:
    after = with_cells(TEXT, CellText("code", "x", "p"), N, clear=clear)
    made = json.loads(after)["cells"][0]
    assert (made["outputs"], made["execution_count"]) == (([], None) if clear else ([7], 2))


def test_a_cell_that_is_there_keeps_its_place_in_what_is_put_together_anew() -> None:
    after = with_cells(TEXT, CellText("raw", "x", "r"), CellText("code", "y", "p"), CellText("raw", "z", "s"))
    assert [cell.cell_id for cell in shown(after)] == ["r", "p", "s"]
    assert '"metadata": {"k": 1.0e1}, "outputs": [ 7 ]' in after


def test_what_stands_around_a_cell_that_changes_stays_when_others_come() -> None:
    first = NOTE.replace('"n"', '"m"')
    text = f'{{"cells": [\t{first},{NOTE},\n\n{PLOT} ,{NOTE}], "nbformat": 4, "nbformat_minor": 5}}'
    text = text.replace(f"{NOTE}]", NOTE.replace('"n"', '"o"') + "]")
    before = shown(text)
    after = with_cells(
        text, *before[:2], CellText("code", "show()", "p"), before[3], CellText("raw", "x", "r")
    )
    assert f"{NOTE},\n\n{PLOT.replace('plot', 'show')} ,{{" in after


def test_one_cell_in_the_place_of_another_is_another() -> None:
    after = with_cells(TEXT, P, CellText("raw", "# T\né", "r"))
    assert shown(after)[1].cell_id == "r"


@pytest.mark.parametrize(
    ("place", "kind", "model"),
    [
        (0, "code", 0),
        (0, "raw", 2),
        (1, "code", 0),
        (2, "code", 1),
        (3, "raw", 2),
        (4, "code", 3),
        (4, "raw", 2),
    ],
)
def test_a_new_cell_is_written_like_the_one_of_its_kind_that_it_follows(
    place: int, kind: str, model: int
) -> None:
    """Each cell of the file has another number of blanks behind its colons."""
    kinds = ("code", "code", "raw", "code")
    cells = [f'{{"cell_type":{" " * number}"{each}"}}' for number, each in enumerate(kinds)]
    mine = [CellText(each, "", None) for each in kinds]
    after = with_cells(
        f'{{"cells": [{",".join(cells)}], "nbformat": 4}}', *mine[:place], CellText(kind, "x"), *mine[place:]
    )
    assert f'"metadata":{" " * model}{{}}' in after


@pytest.mark.parametrize(("minor", "has_ids"), [(5, True), (4, False)])
def test_new_cells_have_ids_where_the_format_has_them(minor: int, has_ids: bool) -> None:
    """Those of an editor that gives none are ours, and no two are the same, though the cells are."""
    text = f'{{"cells": [], "nbformat": 4, "nbformat_minor": {minor}}}'
    new = CellText("code", "", None)
    ids = [cell.cell_id for cell in shown(with_cells(text, new, new, new))]
    assert (None not in ids) is has_ids
    assert len(set(ids)) == (3 if has_ids else 1)


def test_an_id_that_an_editor_gave_to_a_new_cell_is_not_given_to_another() -> None:
    new = CellText("code", "", None)
    (first,) = shown(with_cells(EMPTY, new))
    ids = [cell.cell_id for cell in shown(with_cells(EMPTY, CellText("raw", "x", first.cell_id), new))]
    assert len(set(ids)) == 2


def test_a_file_without_a_text_becomes_a_notebook() -> None:
    made: dict[str, Any] = json.loads(with_cells(" \n", N))
    assert (made["nbformat"], made["nbformat_minor"], made["metadata"]) == (4, 5, {})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(TEXT, json.dumps(json.loads(TEXT), sort_keys=True), True, id="only-written-otherwise"),
        pytest.param(TEXT, TEXT.replace('"plot()"', '["plot", "()"]'), True, id="a-source-in-parts"),
        pytest.param(TEXT, TEXT.replace("T\\n", "T\\r\\n"), True, id="line-ends-of-a-list"),
        pytest.param(
            TEXT.replace("plot", "a\\nb"), TEXT.replace("plot", "a\\r\\nb"), True, id="line-ends-of-a-text"
        ),
        pytest.param(TEXT, TEXT.replace("plot()", "show()"), False, id="another-source"),
        pytest.param(TEXT, TEXT.replace("[ 7 ]", "[ 8 ]"), False, id="another-result"),
        pytest.param(TEXT.replace("7", "1"), TEXT.replace("7", "true"), False, id="a-number-is-no-truth"),
        pytest.param(TEXT.replace("7", "NaN"), TEXT.replace("[ 7 ]", "[NaN]"), True, id="no-number"),
        pytest.param("", EMPTY, True, id="nothing-yet"),
        pytest.param("", TEXT, False, id="nothing-and-something"),
        pytest.param("x", "x", True, id="no-json"),
        pytest.param("x", TEXT, False, id="no-json-and-some"),
        pytest.param("[" * 100_000, "[" * 100_000, True, id="nested-too-deep"),
        pytest.param('{"cells": 1}', '{"cells":1}', True, id="cells-that-are-none"),
        pytest.param('{"cells": [1]}', '{"cells":[2]}', False, id="a-cell-that-is-none"),
        pytest.param(
            '{"cells": [{"source": [1]}]}', '{"cells": [{"source": "1"}]}', True, id="a-line-that-is-none"
        ),
        pytest.param("[1]", "[ 1]", True, id="no-notebook"),
    ],
)
def test_the_same_notebook(one: str, other: str, same: bool) -> None:
    assert FORM.is_same(one, other) is same
    assert FORM.is_same(other, one) is same
