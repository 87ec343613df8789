"""The Neovim plugin and the server call their messages by the same names."""

from __future__ import annotations

import re

from lsp_server.handlers import methods
from tests.e2e.neovim.person import PLUGIN


def test_the_plugin_knows_the_servers_names() -> None:
    text = (PLUGIN / "lua" / "coeditor" / "methods.lua").read_text(encoding="utf-8")
    found = set(re.findall(r'= "([a-zA-Z]+/[a-zA-Z]+)"', text))
    asked_or_told = {*methods.ASKED_OF_EDITOR, *methods.TOLD_TO_EDITOR, *methods.TOLD_BY_EDITOR}
    assert asked_or_told <= found
    assert found - asked_or_told <= set(methods.ASKED_BY_EDITOR)


def test_setup_is_documented() -> None:
    config = (PLUGIN / "lua" / "coeditor" / "config.lua").read_text(encoding="utf-8")
    manual = (PLUGIN / "doc" / "coeditor.txt").read_text(encoding="utf-8")
    fields = re.findall(r"^---@field (\w+)", config, re.MULTILINE)
    assert fields
    assert not [name for name in fields if not re.search(rf"^{name}\t", manual, re.MULTILINE)]
