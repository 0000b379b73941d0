"""What lies within a folder and what a link leads out of it."""

from __future__ import annotations

from disclosure_control.basics.files import leads_out_of


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
