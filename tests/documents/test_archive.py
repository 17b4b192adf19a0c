"""ZIPs: what is unpacked, and what is refused before a byte is written."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from pathlib import Path

import py7zr
import pytest

from brit.documents.archive import (
    ArchiveLimits,
    extract_7z,
    extract_zip,
    open_as_folder,
    sweep_rooms,
)
from brit.errors import DocumentError


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def unpack(path: Path, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The files that were unpacked, and why others were not."""
    folder.mkdir()
    extract = extract_7z if path.suffix == ".7z" else extract_zip
    skipped = {str(each.path): each.reason for each in extract(path, folder)}
    found = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return sorted(found), skipped


def refuse(path: Path, folder: Path, match: str, limits: ArchiveLimits | None = None) -> None:
    folder.mkdir()
    with pytest.raises(DocumentError, match=match):
        extract_zip(path, folder, limits)
    assert list(folder.iterdir()) == []


def test_files_keep_their_folders_and_rubbish_stays_out(tmp_path: Path) -> None:
    files = {"wiki/dump.xml": b"<x/>", "wiki/images/a/A.png": b"png", "__MACOSX/._A.png": b""}
    with open_as_folder(make_zip(tmp_path / "a.zip", files)) as (folder, skipped):
        assert skipped == []
        found = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        assert found == ["wiki/dump.xml", "wiki/images/a/A.png"]
        assert (folder / "wiki/dump.xml").read_bytes() == b"<x/>"
    assert not folder.exists()


def test_a_folder_is_used_as_it_is(tmp_path: Path) -> None:
    with open_as_folder(tmp_path) as (folder, _):
        assert folder == tmp_path


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil", "a/../../evil", "..\\evil", "C:/evil"]
)
def test_paths_that_leave_the_folder_are_left_out(tmp_path: Path, name: str) -> None:
    path = make_zip(tmp_path / "a.zip", {"good.txt": b"1", name: b"2"})
    found, skipped = unpack(path, tmp_path / "out")
    assert found == ["good.txt"]
    assert skipped == {name.replace("\\", "/"): "its path leaves the folder"}
    assert not list(tmp_path.rglob("evil*"))


def test_links_are_left_out_and_nothing_else_is_nothing(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("link")
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    refuse(tmp_path / "a.zip", tmp_path / "out", "it is a link or a device")


def test_one_odd_file_does_not_cost_the_others(tmp_path: Path) -> None:
    files = {
        name: name.encode() * 9 for name in ("a", "encrypted", "odd", "broken", "b", "b/under")
    }
    path = make_zip(tmp_path / "a.zip", files | {"n" * 300: b"long"})
    data = bytearray(path.read_bytes())
    # In the record of a file in the central directory flags stand 8 bytes in, the method 10, the
    # CRC 16, the name 46 (APPNOTE 4.3.12).
    record = {name: data.rindex(name.encode()) - 46 for name in ("encrypted", "odd", "broken")}
    data[record["encrypted"] + 8] |= 1
    data[record["odd"] + 10] = 97
    data[record["broken"] + 16] ^= 1
    path.write_bytes(data)
    found, skipped = unpack(path, tmp_path / "out")
    assert found == ["a", "b"]
    assert skipped == {
        "encrypted": "it is encrypted",
        "odd": "it is packed in a way that is not supported",
        "broken": "it is damaged",
        "b/under": "another file of the archive has its place",
        "n" * 300: "its name is too long",
    }


def test_bombs_are_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"zeros": bytes(2_000_000), "b": b"1"})
    refuse(path, tmp_path / "size", "is the limit", ArchiveLimits(max_bytes=1_000_000))
    refuse(path, tmp_path / "ratio", "times its size", ArchiveLimits(ratio_from=1_000_000))
    refuse(path, tmp_path / "count", "2 files", ArchiveLimits(max_files=1))


def test_damaged_and_encrypted_files_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 and nothing else")
    refuse(broken, tmp_path / "one", "cannot be unpacked")
    path = make_zip(tmp_path / "a.zip", {"a": b"1"})
    data = bytearray(path.read_bytes())
    # The flags of the entry stand 8 bytes into its record in the central directory.
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refuse(path, tmp_path / "two", "encrypted")


def make_7z(path: Path, files: dict[str, bytes], password: str | None = None) -> Path:
    with py7zr.SevenZipFile(path, "w", password=password) as archive:
        for name, content in files.items():
            archive.writestr(content, name)
    return path


def test_a_7z_is_unpacked_for_as_long_as_the_context(tmp_path: Path) -> None:
    files = {"w/a.xml": b"<a/>", "w/b/c.png": b"png", "__MACOSX/x": b"rubbish"}
    with open_as_folder(make_7z(tmp_path / "a.7z", files)) as (folder, _):
        found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
        assert found == {"w/a.xml", "w/b/c.png"}
        assert (folder / "w" / "a.xml").read_bytes() == b"<a/>"
    assert not folder.exists()


def test_one_odd_file_of_a_7z_does_not_cost_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.7z"
    with py7zr.SevenZipFile(path, "w", filters=[{"id": py7zr.FILTER_COPY}]) as archive:
        for name in ("one", "two", "three", "four", "evil"):
            archive.writestr(f"text {name}".encode(), name)
        archive.header.files_info.files[4]["filename"] = "../evil"
    path.write_bytes(path.read_bytes().replace(b"text three", b"tExt three"))
    found, skipped = unpack(path, tmp_path / "out")
    assert found == ["one", "two"]
    behind = "it is damaged, or packed behind a file that is"
    assert skipped == {"three": behind, "four": behind, "../evil": "its path leaves the folder"}


def test_an_unsafe_7z_is_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    bomb = make_7z(tmp_path / "bomb.7z", {"a": bytes(3_000_000)})
    limits = ArchiveLimits(ratio_from=1_000_000)
    with pytest.raises(DocumentError, match="times its size"):
        extract_7z(bomb, folder, limits)
    with pytest.raises(DocumentError, match="is the limit"):
        extract_7z(bomb, folder, ArchiveLimits(max_bytes=1_000_000))
    with pytest.raises(DocumentError, match="encrypted"):
        extract_7z(make_7z(tmp_path / "p.7z", {"a": b"x"}, "secret"), folder)
    with py7zr.SevenZipFile(tmp_path / "l.7z", "w") as archive:
        archive.writestr(b"x", "evil.txt")
        archive.header.files_info.files[0]["filename"] = "../evil.txt"
    with pytest.raises(DocumentError, match="its path leaves the folder"):
        extract_7z(tmp_path / "l.7z", folder)
    with py7zr.SevenZipFile(tmp_path / "link.7z", "w") as archive:
        (tmp_path / "link").symlink_to("/etc/passwd")
        archive.write(tmp_path / "link", "link")
    with pytest.raises(DocumentError, match="it is a link or a device"):
        extract_7z(tmp_path / "link.7z", folder)
    assert list(folder.iterdir()) == []


def test_what_a_killed_process_left_is_swept_and_what_is_in_use_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    names = ("brit-archive-dead", "brit-archive-new", "brit-other", "elsewhere")
    for name in names:
        (tmp_path / name / "wiki").mkdir(parents=True)
    (tmp_path / "brit-archive-link").symlink_to(elsewhere)
    archive = make_zip(tmp_path / "a.zip", {"a.md": b"x"})
    with open_as_folder(archive) as (folder, _):
        for path in (*tmp_path.iterdir(), elsewhere):
            if path.name != "brit-archive-new":
                os.utime(path, (1, 1))
        sweep_rooms()
        assert (folder / "a.md").exists()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*names, "brit-archive-link", "a.zip"} - {"brit-archive-dead"}
    assert (elsewhere / "wiki").exists()
