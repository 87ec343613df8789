"""The VS Code extension's settings and tools are the server's.

`python -m tests.house.vscode_manifest` makes them so; a new setting then needs its `markdownDescription` there.
"""

from __future__ import annotations

import re

import pytest

from tests.house import vscode_manifest as wanted

FOUND = wanted.manifest()
PROPERTIES = FOUND["contributes"]["configuration"]["properties"]


def test_tools_for_language_models_are_the_servers() -> None:
    assert FOUND["contributes"]["languageModelTools"] == wanted.language_model_tools()


@pytest.mark.parametrize("name", wanted.setting_shapes())
def test_setting_has_the_servers_type_and_default_and_says_what_it_does(name: str) -> None:
    found = PROPERTIES[name]
    assert {key: found[key] for key in found if key != "markdownDescription"} == wanted.setting_shapes()[name]
    assert re.match(r"[A-Z`].{20,}[.)]$", found["markdownDescription"], re.DOTALL), found[
        "markdownDescription"
    ]


def test_no_other_setting() -> None:
    assert set(PROPERTIES) == set(wanted.setting_shapes()) | wanted.OWN


def test_choices_are_explained_where_they_are_chosen() -> None:
    for name, found in PROPERTIES.items():
        for choice in found.get("enum", []):
            assert f"`{choice}`" in found["markdownDescription"], (name, choice)
