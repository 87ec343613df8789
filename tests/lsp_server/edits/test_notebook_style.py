"""What is new in a notebook is written as what stands there already."""

from __future__ import annotations

import json

import pytest

from editor_clients.lines import apply_replacements
from lsp_server.edits.notebook import Mode, edit_cell


def edited(text: str, mode: Mode, cell_id: str | None, source: str | None, kind: str | None = None) -> str:
    after = apply_replacements(text, edit_cell(text, mode, cell_id, source, kind).replacements)
    json.loads(after)
    return after


def of_format_4(cells: str) -> str:
    """A notebook without ids."""
    return f'{{"nbformat": 4, "cells": {cells}}}'


@pytest.mark.parametrize(
    ("cells", "mode", "cell_id", "after"),
    [
        pytest.param(
            '[{"cell_type" : "raw"}]',
            "insert",
            "#1",
            '[{"cell_type" : "raw"}, {"cell_type" : "raw", "metadata" : {}, "source" : ["x\\n", "y"]}]',
            id="a-blank-before-each-colon-is-none-behind-a-comma",
        ),
        pytest.param(
            '[{"cell_type" :"raw"}]',
            "replace",
            "#1",
            '[{"cell_type" :"raw","source" :["x\\n","y"]}]',
            id="no-blank-behind-a-colon-and-none-behind-a-comma",
        ),
        pytest.param(
            '[ {"cell_type":\n"raw"} ]',
            "insert",
            None,
            '[ {"cell_type":\n"raw","metadata":\n{},"source":\n["x\\n","y"]}, {"cell_type":\n"raw"} ]',
            id="values-on-lines-of-their-own",
        ),
        pytest.param(
            '[{"cell_type": "raw","source": []}]',
            "replace",
            "#1",
            '[{"cell_type": "raw","source": ["x\\n", "y"]}]',
            id="an-empty-list-of-lines",
        ),
        pytest.param(
            '[{"cell_type": "raw"}, {"cell_type": "raw", "source": "z"}]',
            "replace",
            "#1",
            '[{"cell_type": "raw", "source": "x\\ny"}, {"cell_type": "raw", "source": "z"}]',
            id="a-source-in-one-string-where-others-are",
        ),
        pytest.param(
            '[{"source": "z", "cell_type": "code"}, {"cell_type": "raw", "source": [ "z" ]}]',
            "insert",
            "#1",
            '[{"source": "z", "cell_type": "code"}, {"cell_type": "raw", "metadata": {}, "source": [ "x\\n", "y" ]}, '
            '{"cell_type": "raw", "source": [ "z" ]}]',
            id="the-nearest-of-its-kind",
        ),
        pytest.param(
            '[{"cell_type": "raw", "slides": 1}]',
            "replace",
            "#1",
            '[{"cell_type": "raw", "source": ["x\\n", "y"], "slides": 1}]',
            id="a-key-that-nobody-knows-comes-last",
        ),
        pytest.param(
            '[{"slides": 1, "cell_type": "raw"}]',
            "replace",
            "#1",
            '[{"slides": 1, "cell_type": "raw", "source": ["x\\n", "y"]}]',
            id="but-stays-first-where-it-is-first",
        ),
    ],
)
def test_notebooks_on_one_line(cells: str, mode: Mode, cell_id: str | None, after: str) -> None:
    assert edited(of_format_4(cells), mode, cell_id, "x\ny", "raw") == of_format_4(after)


@pytest.mark.parametrize(
    ("kinds", "behind", "model"),
    [
        ("rrrr", None, 0),
        ("rrrr", 0, 0),
        ("rrrr", 1, 1),
        ("rrrr", 3, 3),
        ("crrr", 0, 1),
        ("ccrcccr", 4, 6),
        ("rccccrc", 1, 0),
        ("rccccrc", 3, 5),
        ("rcr", 1, 2),
        ("rcccr", 1, 0),
        ("cccc", None, 0),
        ("cccc", 2, 2),
    ],
)
def test_a_new_cell_is_written_like_the_nearest_one_of_its_kind(
    kinds: str, behind: int | None, model: int
) -> None:
    """Of two that are as near the one before it; each cell has another number of blanks behind its colons."""
    names = {"r": "raw", "c": "code"}
    cells = [f'{{"cell_type":{" " * number}"{names[kind]}"}}' for number, kind in enumerate(kinds)]
    text = of_format_4(f"[{','.join(cells)}]")
    after = edited(text, "insert", None if behind is None else f"#{behind + 1}", "x", "raw")
    assert f'"metadata":{" " * model}{{}}' in after


def test_lists_of_lines_are_written_as_in_the_nearest_cell_of_its_kind_that_has_lines() -> None:
    cells = [
        '{"cell_type": "raw", "source": ["a",  "b"]}',
        '{"cell_type": "code", "source": []}',
        '{"cell_type": "raw", "source": ["a",   "b"]}',
        '{"cell_type": "code", "source": [\t"a",    "b" ]}',
    ]
    after = edited(of_format_4(f"[{', '.join(cells)}]"), "replace", "#2", "x\ny")
    assert '{"cell_type": "code", "source": [\t"x\\n",    "y" ]}' in after


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '{\n "nbformat": 4,\n "cells": [\n  {\n  \t"cell_type": "raw",\n  \t"source": []\n  }\n ]\n}',
            '{\n "nbformat": 4,\n "cells": [\n  {\n  \t"cell_type": "raw",\n  \t"source": [\n  \t\t"x"\n'
            "  \t]\n  }\n ]\n}",
            id="a-level-of-its-own-kind",
        ),
        pytest.param(
            '{\n    "nbformat": 4,\n    "cells": [\n  {\n   "cell_type": "raw",\n   "source": []\n  }\n]}',
            '{\n    "nbformat": 4,\n    "cells": [\n  {\n   "cell_type": "raw",\n   "source": [\n    "x"\n'
            "   ]\n  }\n]}",
            id="a-level-is-that-of-cells",
        ),
        pytest.param(
            '{\n  "nbformat": 4, "cells": [\n{\n"cell_type": "raw",\n"source": []\n}\n]\n}',
            '{\n  "nbformat": 4, "cells": [\n{\n"cell_type": "raw",\n"source": [\n  "x"\n]\n}\n]\n}',
            id="else-that-of-the-notebook",
        ),
        pytest.param(
            '{  "nbformat": 4, "cells": [\n{\n"cell_type": "raw",\n"source": []\n}\n]\n}',
            '{  "nbformat": 4, "cells": [\n{\n"cell_type": "raw",\n"source": [\n"x"\n]\n}\n]\n}',
            id="blanks-on-the-first-line-are-no-level",
        ),
        pytest.param(
            '{\n"nbformat": 4, "cells": [{"cell_type": "raw", "source": []\n}]\n}',
            '{\n"nbformat": 4, "cells": [{"cell_type": "raw", "source": ["x"]\n}]\n}',
            id="a-cell-on-one-line",
        ),
        pytest.param(
            '{\n\n  "nbformat": 4, "cells": [\n{\n\n"cell_type": "raw",\n"source": []}]}',
            '{\n\n  "nbformat": 4, "cells": [\n{\n\n"cell_type": "raw",\n"source": [\n\n  "x"\n\n]}]}',
            id="empty-lines-between",
        ),
    ],
)
def test_lines_of_an_empty_source_stand_a_level_deeper(before: str, after: str, eol: str) -> None:
    assert edited(before.replace("\n", eol), "replace", "#1", "x") == after.replace("\n", eol)


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '{\n "nbformat": 4,\n "cells": []\n}',
            '{\n "nbformat": 4,\n "cells": [\n  {\n   "cell_type": "raw",\n   "metadata": {},\n   "source": [\n'
            '    "x"\n   ]\n  }\n ]\n}',
            id="in-rows",
        ),
        pytest.param(
            '{ "nbformat": 4, "cells": []\n}',
            '{ "nbformat": 4, "cells": [{"cell_type": "raw", "metadata": {}, "source": ["x"]}]\n}',
            id="on-one-line",
        ),
        pytest.param(
            '{\n"nbformat" :4, "cells" :[]}',
            '{\n"nbformat" :4, "cells" :[\n{\n"cell_type" :"raw",\n"metadata" :{},\n"source" :[\n"x"\n]\n}\n]}',
            id="not-indented",
        ),
    ],
)
def test_the_first_cell_is_written_as_the_notebook_is(before: str, after: str, eol: str) -> None:
    assert edited(before.replace("\n", eol), "insert", None, "x", "raw") == after.replace("\n", eol)


def test_keys_that_a_cell_lacks_follow_its_own_order() -> None:
    text = of_format_4('[{"source": "a", "metadata": {}, "cell_type": "raw"}]')
    assert edited(text, "replace", "#1", None, "code") == of_format_4(
        '[{"source": "a", "metadata": {}, "cell_type": "code", "execution_count": null, "outputs": []}]'
    )
