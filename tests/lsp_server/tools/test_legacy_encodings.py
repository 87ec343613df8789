"""Files as other programs wrote them, in the encodings that people still have: every byte outside an edit stays."""

from __future__ import annotations

import pytest

from tests.lsp_server.tools.conftest import Walk

SAMPLES = {
    "windows-1252": "Größe: 10 €\r\nÜberschrift “so”\r\nEnde – fast\r\n",
    "gbk": "第一行：你好，世界\n第二行：编辑器\n末行",
    "shift_jis": "一行目：こんにちは\r\n表示ソ能\r\n最後の行\r\n",
    "euc-kr": "첫째 줄: 안녕하세요\n둘째 줄: 편집기\n끝\n",
    "koi8-r": "Первая строка\nВторая строка\nКонец\n",
    "utf-16-le": "first – línea\r\nsecond 😀\r\nlast\r\n",
    "utf-16-be": "first – línea\nsecond 😀\nlast\n",
}
"""In Shift-JIS, the second byte of 表, ソ and 能 is a backslash."""
BOMS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
BEYOND = {"windows-1252": "Ж", "gbk": "\U0001f600", "shift_jis": "é", "euc-kr": "é", "koi8-r": "é"}


def sample(encoding: str) -> bytes:
    return BOMS.get(encoding, b"") + SAMPLES[encoding].encode(encoding)


def declare(walk: Walk, encoding: str) -> None:
    if encoding not in BOMS:
        walk.put(".editorconfig", f"root = true\n[*]\ncharset = {encoding}\n")


def lines_of(encoding: str) -> list[str]:
    return SAMPLES[encoding].replace("\r\n", "\n").split("\n")


@pytest.mark.parametrize("encoding", SAMPLES)
async def test_one_line_changes_and_every_other_byte_stays(walk: Walk, encoding: str) -> None:
    declare(walk, encoding)
    path = walk.put("a.txt", sample(encoding))
    seen = await walk.read("a.txt")
    lines = lines_of(encoding)
    assert seen["text"].split("\n")[1] == f"2\t{lines[1]}"
    done = await walk.edit("a.txt", lines[1], lines[0])
    assert done["ok"] is True, done
    wanted = SAMPLES[encoding].replace(lines[1], lines[0], 1)
    assert path.read_bytes() == BOMS.get(encoding, b"") + wanted.encode(encoding)
    back = await walk.call("rewind", to=done["edit_id"])
    assert back["ok"] is True, back
    assert path.read_bytes() == sample(encoding)


@pytest.mark.parametrize("encoding", BEYOND)
async def test_what_the_encoding_lacks_is_refused_and_nothing_written(walk: Walk, encoding: str) -> None:
    declare(walk, encoding)
    path = walk.put("a.txt", sample(encoding))
    await walk.read("a.txt")
    lines = lines_of(encoding)
    for answer in (
        await walk.edit("a.txt", lines[0], f"new {BEYOND[encoding]}"),
        await walk.write("a.txt", f"new {BEYOND[encoding]}\n"),
    ):
        assert answer["code"] == "FS_ENCODING", answer
        assert path.read_bytes() == sample(encoding)


@pytest.mark.parametrize("encoding", [one for one in SAMPLES if one not in BOMS])
async def test_without_a_word_about_it_only_ascii_is_added(walk: Walk, encoding: str) -> None:
    path = walk.put("a.txt", sample(encoding))
    seen = await walk.read("a.txt")
    assert seen["encoding"] == "unknown-8bit"
    last = seen["text"].split("\n")[-1].partition("\t")[2]
    done = await walk.edit("a.txt", last, f"{last} and more")
    assert done["ok"] is True, done
    end = sample(encoding)
    body = end.rstrip(b"\r\n")
    assert path.read_bytes() == body + b" and more" + end[len(body) :]
    assert (await walk.edit("a.txt", "and more", "und größer"))["code"] == "FS_ENCODING"


@pytest.mark.parametrize("encoding", SAMPLES)
async def test_a_whole_write_keeps_encoding_mark_and_line_ends(walk: Walk, encoding: str) -> None:
    declare(walk, encoding)
    path = walk.put("a.txt", sample(encoding))
    await walk.read("a.txt")
    lines = lines_of(encoding)
    done = await walk.write("a.txt", f"{lines[1]}\n{lines[0]}\n")
    assert done["ok"] is True, done
    end = "\r\n" if "\r\n" in SAMPLES[encoding] else "\n"
    assert path.read_bytes() == BOMS.get(encoding, b"") + f"{lines[1]}{end}{lines[0]}{end}".encode(encoding)
