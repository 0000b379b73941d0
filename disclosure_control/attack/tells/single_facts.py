"""Every single fact that leaves, asked of every hidden column: columns of the merged table, then rows of files."""

from __future__ import annotations

from dataclasses import replace

from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.release_finding import FindingTold
from disclosure_control.attack.tells.hidden_columns import PeopleAsked
from disclosure_control.attack.tells.levels_asked import SearchOfColumns, SearchOfRows
from disclosure_control.attack.tells.telling import ColumnTold, Telling
from disclosure_control.basics.telling.small_counts import Policy


def telling_of(leaving: Leaving, asked: PeopleAsked) -> tuple[FindingTold, dict[str, float]]:
    """Which single facts disclose what was changed or dropped, or a sensitive feature that leaves.

    What a quasi-identifier discloses is assessed with it; what columns of the merged table disclose is not reported of
    rows again. Also returns for what share of the people each column is disclosed.
    """
    files, assessed, harmless = leaving.files, leaving.quasi_identifiers, leaving.harmless
    sensitive = leaving.before.config.sensitive_features
    columns = SearchOfColumns(asked, len(asked.hidden) + len(asked.sensitive))
    rows = None if files is None else SearchOfRows(files, len(asked.hidden))
    told: list[tuple[str, ColumnTold]] = []
    for hidden in asked.hidden:
        of_columns = columns.told(hidden, assessed, harmless)
        parts = [] if of_columns is None else [of_columns]
        if rows is not None:
            known = {*assessed, *(one.variable for part in parts for one in part.by)}
            found = rows.told(hidden, known, harmless, leaving.originals)
            if found is None and hidden.is_date:
                found = rows.told(hidden.in_the_year, known, harmless, leaving.originals)
            parts += [] if found is None else [found]
        told += [(hidden.name, replace(one, is_sensitive=hidden.name in sensitive)) for one in parts]
    for hidden in asked.sensitive:
        given = columns.told(hidden, {*assessed, *sensitive}, harmless, is_released=True)
        if given is not None:
            told.append((hidden.name, replace(given, is_sensitive=True, is_released=True)))
    n_summaries = 0 if files is None else len(files.summaries)

    def for_reader(policy: Policy) -> Telling:
        return Telling(
            leaving.n_people,
            len(asked.rows),
            n_summaries,
            columns.n_pairs,
            columns.n_pairs_tried,
            [one.for_reader(policy, leaving, name) for name, one in told],
            asked.too_few,
            () if files is None else files.not_read,
        )

    by_share = sorted((one for _, one in told if not one.is_released), key=lambda one: one.share)
    return for_reader, {one.tells: one.share for one in by_share}
