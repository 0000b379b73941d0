"""How exposed people are in the pool of several hospitals, without a record leaving any: docs/pool.md.

    python -m disclosure_control.pool invite STUDY --node BERLIN   check the invitation at home, and join the round
    python -m disclosure_control.pool contribute STUDY             send this node's counts, masked
    python -m disclosure_control.pool sum STUDY                    add them, and write the answer for all
    python -m disclosure_control.pool read STUDY                   this node's report: at home and in the pool

STUDY is a pilot with a config that has the key "pool". All parties share a folder: ``pool_exchange`` in that of the
pilot, or another one (``--folder``). Each command can be run again. Exit status: 0 done; 2 something is missing or at
fault, and is named; 3 a fault of ours; 4 another run holds the pilot.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from pathlib import Path

from disclosure_control.run.doors import Outcome, guarded, prepare_screen
from disclosure_control.run.logs import Log

COMMANDS = ("invite", "contribute", "sum", "read")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the command line names; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m disclosure_control.pool",
        description=(__doc__ or "").replace("``", ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, help="what to do")
    parser.add_argument("study", metavar="STUDY", help="the pilot, as its config and its folder are named")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="the folder that all parties share")
    parser.add_argument("--node", metavar="NAME", help="who this is, as the config names the parties; asked for once")
    parser.add_argument("--check", metavar="DIGITS", help="the check of the round, once all parties read the same")
    options = parser.parse_args(arguments)
    prepare_screen()
    log = Log()
    return guarded(functools.partial(_run, options, log), log).status


def _run(options: argparse.Namespace, log: Log) -> Outcome:
    from disclosure_control.pooling.commands import run_command

    return run_command(options, log)


if __name__ == "__main__":
    sys.exit(main())
