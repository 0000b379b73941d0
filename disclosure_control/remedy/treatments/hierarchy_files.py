"""Hierarchies that a config names as files of the pilot, for every treatment that reads one."""

from __future__ import annotations

from pathlib import Path

from disclosure_control.basics.encoding.hierarchies import ValueHierarchy, read_hierarchy
from disclosure_control.basics.files import file_of_pilot
from disclosure_control.basics.telling.faults import FaultyInputError

# In the pilot's folder itself the merge would take the file for a domain.
PLACE = "in a folder of its own within the pilot's folder, such as hierarchies/race.csv"


def hierarchy_of_pilot(file: str, folder: Path | None, key: str) -> tuple[ValueHierarchy, dict[str, dict[str, object]]]:
    """The hierarchy of a ``file`` below the pilot's ``folder``, and the file with its SHA-256 for the run's inputs.

    Without a folder, in a notebook, the path is used unchanged. Raises ``FaultyInputError``, which names ``key``.
    """
    if folder is None:
        path = Path(file)
        if not path.is_file():
            raise FaultyInputError(
                f"hierarchy {path.name!r}: there is no such file in {path.parent.name!r}; put it {PLACE}"
            )
        return read_hierarchy(path), {}
    try:
        source, read = file_of_pilot(folder, file, key)
    except FaultyInputError as error:
        raise FaultyInputError([f"{fault}, {PLACE}" for fault in error.faults]) from None
    return read_hierarchy(source), {file: {**read}}
