from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Code, CoeditorError
from lsp_server import paths


def private_env(base: Path) -> dict[str, str]:
    found = {"HOME": str(base)}
    for name in ("STATE_HOME", "RUNTIME_DIR"):
        folder = base / name.lower()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found["XDG_" + name] = str(folder)
    return found


def test_made_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    folder = paths.folder_of("/some/where", private_env(tmp_path))
    before = os.umask(0)
    try:
        folder.make()
    finally:
        os.umask(before)
    for path in (folder.state, folder.transactions, folder.runtime, str(Path(folder.log).parent)):
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o700
    assert folder.ledger.startswith(folder.state)


def test_a_folder_that_others_can_enter_is_closed(tmp_path: Path) -> None:
    open_one = tmp_path / "coeditor"
    open_one.mkdir(mode=0o755)
    paths.make_private(str(open_one))
    assert stat.S_IMODE(open_one.stat().st_mode) == 0o700


def test_a_link_in_the_place_of_our_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "coeditor").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CoeditorError) as caught:
        paths.make_private(str(tmp_path / "coeditor"))
    assert caught.value.code is Code.NO_SERVER


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    theirs = tmp_path / "coeditor"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    with pytest.raises(CoeditorError) as caught:
        paths.make_private(str(theirs))
    assert caught.value.code is Code.NO_SERVER


def test_what_an_editor_tells_its_terminals_wins_while_it_is_there(tmp_path: Path) -> None:
    usual = private_env(tmp_path)
    told = tmp_path / "told"
    env = {**usual, paths.STATE_VARIABLE: str(tmp_path / "kept"), paths.RUNTIME_VARIABLE: str(told)}
    assert paths.state_home(env) == str(tmp_path / "kept")
    assert paths.runtime_home(env) == paths.runtime_home(usual), "it is not there yet"
    told.mkdir(mode=0o700)
    assert paths.runtime_home(env) == str(told)
    useless = {**usual, paths.STATE_VARIABLE: "kept", paths.RUNTIME_VARIABLE: "told"}
    assert (paths.state_home(useless), paths.runtime_home(useless)) == (
        paths.state_home(usual),
        paths.runtime_home(usual),
    )


@pytest.mark.parametrize("given_value", ["", "relative/run", "/does/not/exist"])
def test_a_useless_runtime_variable_still_gives_a_private_folder(tmp_path: Path, given_value: str) -> None:
    found = paths.runtime_home({"HOME": str(tmp_path), "XDG_RUNTIME_DIR": given_value})
    assert Path(found).is_absolute()
    assert stat.S_IMODE(Path(found).stat().st_mode) == 0o700


@pytest.mark.parametrize("given_value", ["", "relative/state"])
def test_state_falls_back_to_the_home_folder(given_value: str) -> None:
    assert paths.state_home({"HOME": "/home/me", "XDG_STATE_HOME": given_value}) == (
        "/home/me/.local/state/coeditor"
    )


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1), max_size=40))
def test_the_socket_path_always_fits(parts: list[str]) -> None:
    folder = paths.Folder("/" + "/".join(parts), "/state", "/".join(["/run", *parts]))
    assert len(os.fsencode(paths.socket_path(folder))) <= paths.SOCKET_PATH_LIMIT


def test_spellings_of_one_folder_share_one_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    env = private_env(tmp_path)
    spelled = [str(tmp_path / "alias"), str(tmp_path / "real" / ".." / "real"), str(tmp_path / "real") + "/"]
    keys = {paths.folder_of(paths.canonical(each), env).key for each in spelled}
    assert len(keys) == 1


@pytest.mark.parametrize("marker", ["folder", "file", None])
def test_the_workspace_is_the_git_top_level_else_the_folder(tmp_path: Path, marker: str | None) -> None:
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    if marker == "folder":
        (tmp_path / "repo" / ".git").mkdir()
    elif marker == "file":
        (tmp_path / "repo" / ".git").write_text("gitdir: ../elsewhere\n")
    expected = tmp_path / "repo" if marker else inner
    assert paths.workspace_root(str(inner)) == str(expected)


def test_finding_places_loads_nothing_heavy() -> None:
    code = "import sys, lsp_server.paths; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    ).stdout.split()
    assert not {"typing", "pathlib", "dataclasses", "subprocess", "tempfile", "asyncio"} & set(loaded)
