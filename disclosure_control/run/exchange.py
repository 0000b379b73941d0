"""Two folders change places: in one moment where the system can, else by renames that can be undone."""

from __future__ import annotations

import errno
import functools
import os
import sys
from pathlib import Path

_HERE, _RENAME_EXCHANGE, _RENAME_SWAP = -100, 2, 2  # AT_FDCWD of Linux; flags of renameat2 and of renamex_np
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)


def exchange(new: Path, place: Path, aside: Path) -> None:
    """The folder ``new`` comes to its ``place``, and the one there to where ``new`` was.

    Linux and macOS do it in one step: there is a whole folder at ``place`` at every moment. Elsewhere, as on Windows,
    and on file systems that cannot, the earlier folder is renamed to ``aside`` first: for a moment there is none at
    ``place``, and ``put_back`` undoes that. Raises ``OSError``; then both are where they were.
    """
    if _exchanged(new, place):
        return
    place.rename(aside)
    try:
        new.rename(place)
    except OSError:
        aside.rename(place)
        raise
    aside.rename(new)


def put_back(place: Path, aside: Path) -> None:
    """Undo an exchange that was broken off between its renames."""
    if aside.is_dir() and not place.exists():
        aside.rename(place)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether the system exchanged two folders; if not, nothing has happened. Raises ``OSError`` where it refuses."""
    if sys.platform not in ("linux", "darwin"):
        return False
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            call = functools.partial(library.renamex_np, *paths, _RENAME_SWAP)
        else:
            call = functools.partial(library.renameat2, _HERE, paths[0], _HERE, paths[1], _RENAME_EXCHANGE)
    except AttributeError:  # a C library without it
        return False
    if call() == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))
