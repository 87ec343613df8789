"""One cell of a notebook, and not a byte more."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from editor_clients.lines import apply_replacements
from ledger.errors import Code, CoeditorError
from lsp_server.edits.notebook import Mode, edit_cell, lines_of_cell
from lsp_server.edits.notebook_cells import new_id

CODE: dict[str, Any] = {
    "cell_type": "code",
    "execution_count": 3,
    "id": "aa",
    "metadata": {},
    "outputs": [{"name": "stdout", "output_type": "stream", "text": ["1\n"]}],
    "source": ["x = 1\n", "x"],
}
NOTE: dict[str, Any] = {"cell_type": "markdown", "id": "bb", "metadata": {"t": "é"}, "source": ["# T"]}
CODE_IN_ROWS = """\
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "aa",
   "metadata": {},
   "outputs": [],
   "source": [
"""


def notebook(*cells: dict[str, Any], minor: int = 5) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": minor}


def written(value: object, **style: Any) -> str:
    """As Jupyter writes it."""
    return json.dumps(value, **({"indent": 1, "ensure_ascii": False} | style)) + "\n"


def edited(
    text: str,
    mode: Mode = "replace",
    cell_id: str | None = "aa",
    source: str | None = None,
    kind: str | None = None,
) -> str:
    """The text after; what replacements leave out must really be outside of them."""
    return apply_replacements(text, edit_cell(text, mode, cell_id, source, kind).replacements)


def refusal(*arguments: Any) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        edit_cell(*arguments)
    return caught.value


WHOLE = written(notebook(CODE, NOTE))
STYLES = [
    {},
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
    {"indent": 2, "separators": (",", " : ")},
    {"ensure_ascii": True},
]


def test_replace_keeps_the_lines_that_stay() -> None:
    after = edited(WHOLE, source="x = 1\ny")
    assert after == WHOLE.replace('"execution_count": 3', '"execution_count": null').replace(
        json.dumps(CODE["outputs"], indent=1).replace("\n", "\n   "), "[]"
    ).replace('    "x"\n', '    "y"\n')
    assert CODE_IN_ROWS in after


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("mode", "cell_id", "source", "kind", "wanted"),
    [
        (
            "replace",
            "aa",
            "y",
            None,
            [CODE | {"source": ["y"], "outputs": [], "execution_count": None}, NOTE],
        ),
        ("replace", "bb", "a\n\nb\n", None, [CODE, NOTE | {"source": ["a\n", "\n", "b\n"]}]),
        ("replace", "bb", "", None, [CODE, NOTE | {"source": []}]),
        ("replace", "#2", "é “”", None, [CODE, NOTE | {"source": ["é “”"]}]),
        ("replace", "bb", '"\\n\t\x01', None, [CODE, NOTE | {"source": ['"\\n\t\x01']}]),
        (
            "replace",
            "bb",
            None,
            "code",
            [CODE, NOTE | {"cell_type": "code", "execution_count": None, "outputs": []}],
        ),
        (
            "replace",
            "aa",
            None,
            "raw",
            [{"cell_type": "raw", "id": "aa", "metadata": {}, "source": CODE["source"]}, NOTE],
        ),
        ("delete", "aa", None, None, [NOTE]),
        ("delete", "bb", None, None, [CODE]),
        ("insert", None, "new", "raw", [{"cell_type": "raw", "metadata": {}, "source": ["new"]}, CODE, NOTE]),
        ("insert", "aa", "new", "raw", [CODE, {"cell_type": "raw", "metadata": {}, "source": ["new"]}, NOTE]),
        ("insert", "bb", "", "raw", [CODE, NOTE, {"cell_type": "raw", "metadata": {}, "source": []}]),
        (
            "insert",
            "#2",
            "a\nb",
            None,
            [
                CODE,
                NOTE,
                {
                    "cell_type": "code",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": ["a\n", "b"],
                },
            ],
        ),
    ],
)
def test_the_file_is_written_as_its_writer_would(
    style: dict[str, Any],
    eol: str,
    mode: Mode,
    cell_id: str,
    source: str,
    kind: str,
    wanted: list[dict[str, Any]],
) -> None:
    text = written(notebook(CODE, NOTE), **style).replace("\n", eol)
    after = edited(text, mode, cell_id, source, kind)
    found = json.loads(after)["cells"]
    if mode == "insert":
        # The id is ours to make; all else is as wanted.
        made = next(cell for cell in found if cell["id"] not in ("aa", "bb"))
        wanted = [dict(sorted({"id": made["id"], **cell}.items())) for cell in wanted]
    assert found == wanted
    # Keys that nobody sorted: a type that changes brings its own, sorted as Jupyter does.
    assert after == written(notebook(*(dict(sorted(cell.items())) for cell in wanted)), **style).replace(
        "\n", eol
    )


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("cells", [[], [CODE]])
def test_the_only_cell_comes_and_goes(style: dict[str, Any], cells: list[dict[str, Any]]) -> None:
    text = written(notebook(*cells), **style)
    if cells:
        assert edited(text, "delete") == written(notebook(), **style)
    after = edited(text, "insert", None, "a\nb", "markdown")
    made = json.loads(after)["cells"][0]
    assert made == {"cell_type": "markdown", "id": made["id"], "metadata": {}, "source": ["a\n", "b"]}
    assert after == written(notebook(made, *cells), **style)


@pytest.mark.parametrize(
    ("cell", "source", "inside"),
    [
        ('{"cell_type":"raw","id":"aa","source":"a\\nb"}', "a\nc", '"source":"a\\nc"'),
        ('{"cell_type":"raw","id":"aa","source":[]}', "a\nc", '"source":["a\\n","c"]'),
        ('{"cell_type":"raw","id":"aa"}', "a", '"id":"aa","source":["a"]}'),
        (
            '{"source":["a\\u00e9\\n", "\\/"],"cell_type":"raw","id":"aa"}',
            "aé\n/\n",
            '["a\\u00e9\\n", "/\\n"]',
        ),
        ('{"source":["\\/","b"],"cell_type":"raw","id":"aa"}', "/c", '["/c"]'),
        ('{"source":["\\/\\n","b"],"cell_type":"raw","id":"aa"}', "/\nc", '["\\/\\n","c"]'),
        ('{"source":["a\\r\\n","b"],"cell_type":"raw","id":"aa"}', "c\nd\ne", '["c\\r\\n","d\\r\\n","e"]'),
        ('{"source":["a"],"cell_type":"raw","id":"aa"}', "c\r\nd", '["c\\n","d"]'),
        ('{"source":["\\r","b"],"cell_type":"raw","id":"aa"}', "c\nd", '["c\\r","d"]'),
        ('{"source":["\\r\\n","b"],"cell_type":"raw","id":"aa"}', "c\nd", '["c\\r\\n","d"]'),
        ('{"source":["b"],"source":["a"],"cell_type":"raw","id":"aa"}', "c", '"source":["b"],"source":["c"]'),
        (
            '{ "id" : "aa" ,\n"source":[ "a" ] , "cell_type":"raw" }',
            "c",
            '{ "id" : "aa" ,\n"source":[ "c" ] , ',
        ),
    ],
)
def test_the_cells_own_way_of_writing_stays(cell: str, source: str, inside: str) -> None:
    text = f'{{"nbformat": 4, "nbformat_minor": 5, "cells": [ {cell} ] , "z": 1.0e1}}'
    after = edited(text, source=source)
    assert inside in after
    assert json.loads(after)["nbformat"] == 4
    assert after.startswith('{"nbformat": 4, "nbformat_minor": 5, "cells": [ {')
    assert after.endswith('} ] , "z": 1.0e1}')


@pytest.mark.parametrize(
    ("metadata", "spelled"),
    [
        ("{}", '"é"'),
        ('{"a": "\\u00e9"}', '"\\u00e9"'),
        ('{"a": "\\\\\\u00e9"}', '"\\u00e9"'),
        ('{"a": "\\\\u00e9"}', '"é"'),
        ('{"a": "\\u001b"}', '"é"'),
        ('{"a": "\\u00e9é"}', '"é"'),
    ],
)
def test_escapes_are_written_where_the_file_writes_them(metadata: str, spelled: str) -> None:
    text = f'{{"nbformat": 4, "cells": [{{"cell_type": "raw", "metadata": {metadata}, "source": ["a"]}}]}}'
    assert f"[{spelled}]" in edited(text, cell_id="#1", source="é")


@pytest.mark.parametrize(("text", "lines"), [("", (1, 1)), (" \r\n", (1, 1)), ("\n\n\n", (1, 3))])
def test_a_file_without_a_text_takes_a_cell(text: str, lines: tuple[int, int]) -> None:
    found = edit_cell(text, "insert", None, "x = 1", "raw")
    after = apply_replacements(text, found.replacements)
    assert found.lines == lines
    assert after == edited(written(notebook()), "insert", None, "x = 1", "raw")
    for mode in ("insert", "replace", "delete"):
        assert refusal(text, mode, "aa", "x", None).message.endswith("insert one without cell_id.")


def test_other_orders_of_keys_are_taken_over() -> None:
    odd = {
        name: CODE[name] for name in ("source", "id", "outputs", "execution_count", "metadata", "cell_type")
    }
    made = json.loads(edited(written(notebook(odd)), "insert", "aa", "x"))["cells"][1]
    assert list(made) == list(odd)


def test_ids_are_given_where_the_format_has_them_and_are_new() -> None:
    old = json.loads(edited(written(notebook(CODE, minor=4)), "insert", "aa", "x"))
    assert "id" not in old["cells"][1]
    text = WHOLE
    for _ in range(5):
        text = edited(text, "insert", "aa", "x")
    ids = [cell["id"] for cell in json.loads(text)["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[0-9a-f]{8}", each) for each in ids[1:-1])
    assert edited(WHOLE, "insert", "aa", "x") == edited(WHOLE, "insert", "aa", "x")


@pytest.mark.parametrize(
    ("cell", "kind", "told"),
    [
        (CODE, None, "its outputs and its execution count"),
        (CODE, "markdown", "its outputs and its execution count"),
        (CODE | {"outputs": []}, None, "its execution count"),
        (CODE | {"execution_count": None}, None, "its outputs"),
        (CODE | {"outputs": [], "execution_count": None}, None, None),
        (NOTE, None, None),
        (NOTE | {"attachments": {"a.png": {}}}, "code", "its attachments"),
        (NOTE | {"attachments": {}}, "code", None),
    ],
)
def test_what_is_cleared_is_said(cell: dict[str, Any], kind: str | None, told: str | None) -> None:
    found = edit_cell(written(notebook(cell)), "replace", "#1", "other", kind)
    assert [warning.partition(": ")[2] for warning in found.warnings] == ([f"{told}."] if told else [])


@pytest.mark.parametrize("minor", [None, 4, 5, 6])
def test_which_formats_have_ids(minor: int | None) -> None:
    text = written({name: value for name, value in notebook(minor=minor or 0).items() if value is not None})
    if minor is None:
        text = text.replace(',\n "nbformat_minor": 0', "")
    made = json.loads(edited(text, "insert", None, "x"))["cells"][0]
    assert ("id" in made) is (minor in (5, 6))


def test_an_id_is_not_one_that_is_there() -> None:
    """However many of those that would come next are."""
    taken: set[str | None] = set()
    for _ in range(3):
        made = new_id("x", {*taken, *(f"of another {number}" for number in range(3 - len(taken)))})
        assert made not in taken
        taken.add(made)
    assert new_id("a\nb", ()) == new_id("a\r\nb", ()) != new_id("a\rb", ())
    assert len(new_id("\ud800", ())) == 8  # what a person typed may hold half a character


@pytest.mark.parametrize(
    ("cell", "source", "kind"),
    [
        (CODE, "x = 1\nx", None),
        (CODE, "x = 1\r\nx", "code"),
        (CODE, None, None),
        (CODE, None, "code"),
        (CODE | {"source": []}, "", None),
    ],
)
def test_the_same_cell_is_no_change(cell: dict[str, Any], source: str | None, kind: str | None) -> None:
    assert refusal(written(notebook(cell)), "replace", "aa", source, kind).code is Code.FS_NO_CHANGE


def test_attachments_are_not_those_of_code() -> None:
    text = written(notebook(dict(sorted({"attachments": {"a.png": {}}, **NOTE}.items()))))
    assert edited(text, "replace", "bb", None, "raw") == text.replace("markdown", "raw")
    made = dict(sorted({**NOTE, "cell_type": "code", "execution_count": None, "outputs": []}.items()))
    assert edited(text, "replace", "bb", None, "code") == written(notebook(made))


@pytest.mark.parametrize("mode", ["replace", "insert", "delete"])
@pytest.mark.parametrize("name", ["nope", "#0", "#3", "#", "", "\ud800"])
def test_cells_that_are_not_there(mode: str, name: str) -> None:
    error = refusal(WHOLE, mode, name, "x", None)
    assert (error.code, error.data["argument"]) == (Code.INVALID_ARGUMENT, "cell_id")
    assert error.data["expected"] == ["aa", "bb"]
    assert error.message.encode()


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "It has no cells; insert one without cell_id."),
        (2, "There are #1, #2."),
        (40, "#39, #40."),
        (41, "#39, #40, ...."),
        (1001, "#40, ...."),
    ],
)
def test_the_cells_that_are_there_are_told_up_to_a_limit(count: int, told: str) -> None:
    text = written(notebook(*[{"cell_type": "raw"}] * count))
    error = refusal(text, "delete", "x", None, None)
    assert error.message.endswith(told)
    assert error.data["expected"] == [f"#{number}" for number in range(1, min(count, 1000) + 1)]


def test_long_names_are_cut_where_they_are_told() -> None:
    text = written(notebook({"cell_type": "raw", "id": "i" * 81}))
    error = refusal(text, "delete", "c" * 81, None, None)
    assert error.data["expected"] == ["i" * 80]
    assert f" {'c' * 80}. " in error.message


def test_an_id_that_is_no_text_names_no_cell() -> None:
    text = written(notebook(CODE | {"id": 7}))
    assert refusal(text, "delete", "7", None, None).data["expected"] == ["#1"]


def test_cells_without_ids_and_twins_go_by_number() -> None:
    bare = {name: value for name, value in NOTE.items() if name != "id"}
    text = written(notebook(bare, NOTE, NOTE))
    assert refusal(text, "delete", "x", None, None).data["expected"] == ["#1", "bb", "bb"]
    assert refusal(text, "delete", "bb", None, None).data["expected"] == ["#2", "#3"]
    assert len(json.loads(edited(text, "delete", "#1"))["cells"]) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1\n", "no_notebook"),
        ("[]", "no_notebook"),
        ('{"cells": []}', "no_notebook"),
        ('{"cells": [], "nbformat": true}', "no_notebook"),
        ('{"nbformat": 4}', "no_notebook"),
        ('{"nbformat": 4, "cells": {}}', "no_notebook"),
        ('{"nbformat": 4, "cells": [1]}', "no_notebook"),
        ('{"nbformat": 4, "cells": [{}]}', "no_notebook"),
        ('{"nbformat": 4, "cells": [{"cell_type": "raw", "source": 1}]}', "no_notebook"),
        ('{"nbformat": 4, "cells": [{"cell_type": "raw", "source": [1]}]}', "no_notebook"),
        ('{"nbformat": 4, "cells": []} x', "no_notebook"),
        ('{"nbformat": 4, "cells": [', "no_notebook"),
        ('{"nbformat": 4, "cells": [],}', "no_notebook"),
        ('{"nbformat": 4, "cells": [' + "[" * 100_000, "no_notebook"),
        ('{"nbformat" 4}', "no_notebook"),
        ("{4: 4}", "no_notebook"),
        ('{"nbformat": 3, "worksheets": []}', "nbformat"),
        ('{"nbformat": 5, "cells": []}', "nbformat"),
    ],
)
def test_what_is_no_notebook(text: str, reason: str) -> None:
    error = refusal(text, "insert", None, "x", None)
    assert (error.code, error.data["reason"]) == (Code.INVALID_ARGUMENT, reason)
    assert lines_of_cell(text, "aa") is None
    if reason == "nbformat":
        assert f"format {error.data['nbformat']};" in error.message
        assert f'"nbformat": {error.data["nbformat"]}' in text


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_where_a_text_stops_to_be_json_is_told(eol: str) -> None:
    text = f'{{{eol} "nbformat": 4,{eol} "cells" []{eol}}}'
    assert "line 3, column 10 (Expecting ':' delimiter)" in refusal(text, "insert", None, "x", None).message


@pytest.mark.parametrize(
    ("cell_id", "lines"), [("aa", (3, 21)), ("bb", (22, 31)), (None, (2, 2)), ("x", None)]
)
def test_where_a_cell_stands(cell_id: str | None, lines: tuple[int, int] | None) -> None:
    assert lines_of_cell(WHOLE, cell_id) == lines


def test_where_a_cell_stands_in_a_text_that_is_not_indented() -> None:
    text = written(notebook(CODE, NOTE), indent=0)
    assert (lines_of_cell(text, "aa"), lines_of_cell(text, "bb")) == ((3, 21), (22, 31))
    assert lines_of_cell(text.replace('"cells": [', '"cells": \n[\n'), None) == (3, 3)


@pytest.mark.parametrize(
    ("mode", "cell_id", "lines"),
    [
        ("replace", "aa", (3, 21)),
        ("replace", "bb", (22, 31)),
        ("delete", "aa", (3, 21)),
        ("delete", "bb", (22, 31)),
        ("insert", None, (3, 3)),
        ("insert", "aa", (21, 21)),
        ("insert", "bb", (31, 31)),
    ],
)
def test_the_lines_of_an_edit_are_those_of_the_cell_meant(
    mode: Mode, cell_id: str | None, lines: tuple[int, int]
) -> None:
    assert edit_cell(WHOLE, mode, cell_id, "other", None).lines == lines
