"""What lies within a folder and what a link leads out of it."""

from __future__ import annotations

import hashlib

import pytest

from disclosure_control.basics.files import file_of_pilot, leads_out_of, link_fault, sha256_of_file
from disclosure_control.basics.telling.faults import FaultyInputError


def test_what_lies_in_the_folder_stays_in_it_and_what_lies_beside_it_does_not(tmp_path):
    folder, beside = tmp_path / "pilot", tmp_path / "beside"
    (folder / "below").mkdir(parents=True)
    beside.mkdir()
    (folder / "link").symlink_to(beside)
    (folder / "within").symlink_to(folder / "below")
    (folder / "to itself").symlink_to(folder / "to itself")
    names = (".", "below", "nothing yet", "within", "..", "../beside", "link", "link/file", "to itself")
    assert [name for name in names if leads_out_of(folder / name, folder)] == [
        "..",
        "../beside",
        "link",
        "link/file",
        "to itself",
    ]


def test_a_config_names_files_of_the_pilot_alone(tmp_path):
    (tmp_path / "beside").write_bytes(b"x")
    folder = tmp_path / "pilot"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "a").write_bytes(b"a")
    (folder / "link").symlink_to(tmp_path / "beside")
    file, said = file_of_pilot(folder, "below/a", "key")
    assert (file.name, file.content, said) == ("a", b"a", {"sha256": hashlib.sha256(b"a").hexdigest()})
    assert sha256_of_file(folder / "below" / "a") == file.sha256
    assert [link_fault(folder / name, folder) is None for name in ("below", "link")] == [True, False]
    for name in ("../beside", "link", "below", "nothing"):
        with pytest.raises(FaultyInputError):
            file_of_pilot(folder, name, "key")
