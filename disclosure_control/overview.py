"""One page for all pilots: verdict, trend, age of the last run, and thresholds side by side.

    python -m disclosure_control.overview                      overview.html in the data folder
    python -m disclosure_control.overview --output FILE.html   somewhere else

It reads what the last runs published and computes nothing again. Exit status: 0 done; 2 it could not read or write.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from config import read_settings
from disclosure_control.basics.telling.words import counted
from disclosure_control.report.pilots.rows import overview_page, pilot_rows
from disclosure_control.run.beside import write_whole
from disclosure_control.run.doors import DONE, Outcome, guarded, prepare_screen
from disclosure_control.run.logs import Log, say

NAME = "overview.html"
DAYS = 31


def write_overview(output: Path | None, older_than: int = DAYS) -> tuple[Path, int]:
    """Write the page, in mode 0600 and whole or not at all; its path, and how many pilots are on it."""
    settings, now = read_settings(), datetime.datetime.now(datetime.UTC)
    path = settings.data_folder / NAME if output is None else output
    rows = pilot_rows(settings, now, older_than)
    write_whole(path, [overview_page(rows, now.strftime("%Y-%m-%d %H:%M")).encode("utf-8")])
    return path, len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the overview that the command line asks for; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m disclosure_control.overview",
        description=(__doc__ or "").replace("``", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help=f"where to; default: {NAME} in the data folder")
    parser.add_argument("--older-than", type=int, default=DAYS, metavar="DAYS", help="when a run is old; default: 31")
    options = parser.parse_args(arguments)
    prepare_screen()
    return guarded(functools.partial(_write, options), Log()).status


def _write(options: argparse.Namespace) -> Outcome:
    path, n_pilots = write_overview(options.output, options.older_than)
    say(f"{counted(n_pilots, 'pilot')} in {path}")
    return Outcome(DONE, "")


if __name__ == "__main__":
    sys.exit(main())
