"""What the search for originals found in a package: its figures, sentences and reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.attack.tells.summaries import without_column
from disclosure_control.attack.traces.traces import Traces
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Details, Part, Sentence, Style
from disclosure_control.basics.telling.small_counts import Policy, count_text, people_on_screen, told_parts
from disclosure_control.basics.telling.words import counted, listed

TRACES = {
    "original_ids": "original ids",
    "id_digits": "their digits",
    "original_dates": "dates that were not moved",
    "removed_identifiers": "values of removed identifiers",
    "people_left_out": "records of people left out",
}


@dataclass(frozen=True)
class TracesTold:
    """The traces as published: cells from 1 to 9 are masked, and what they add up to with them."""

    searched: int
    original_ids: int | None
    id_digits: int | None
    original_dates: int | None
    removed_identifiers: int | None
    people_left_out: int | None
    where: Mapping[str, int | None]
    forms: Mapping[str, Sequence[str]]
    by_chance: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, policy: Policy, traces: Traces) -> TracesTold:
        """What was found, as the reader may see it."""
        kinds = told_parts(policy, {kind: getattr(traces, kind) for kind in TRACES}, traces.total)
        return cls(
            traces.searched,
            **kinds,
            where=told_parts(policy, dict(traces.where), traces.total),
            forms={place: list(forms) for place, forms in traces.forms.items()},
            by_chance={place: list(forms) for place, forms in traces.by_chance.items()},
        )

    def lines(self) -> list[str]:
        """Each place with its number of cells, and in which form originals are there."""
        return [f"{place}: {count_text(n)} ({', '.join(self.forms[place])})" for place, n in self.where.items()]

    def parts(self) -> Iterator[Part]:
        """What was searched, and what was found where."""
        yield Sentence(f"The files were opened again from disk, and {counted(self.searched, 'cell')} searched.")
        found = [f"{words}: {count_text(getattr(self, kind))}" for kind, words in TRACES.items()]
        yield Sentence(f"Found: {'; '.join(found)}.")
        for line in self.lines():
            yield Sentence(f"Traces of originals in {line}.", Style.NOTICE)
        if self.by_chance:
            yield Details(
                "Columns with numbers and digits that are somebody's original by chance: exchanged among people, "
                "originals stand in their own people's rows as often",
                [f"{place}: {', '.join(forms)}" for place, forms in self.by_chance.items()],
            )


def reasons_of_traces(policy: Policy, traces: Traces, merged: Collection[str]) -> list[Reason]:
    """The reason to hold if there is a trace: in which columns, and in which form.

    ``merged``: the columns of the merged table.
    """
    if not traces.total:
        return []
    told = TracesTold.of(policy, traces)
    is_shown = policy.told(traces.total) is not None
    n_traces = counted(traces.total, "trace") if is_shown else f"{people_on_screen(traces.total)} traces"
    return [
        Reason(
            Gravity.NAMES_A_PERSON,
            f"released/ holds {n_traces} of original ids, dates or removed identifiers: {listed(told.lines())}.",
            changes=tuple(dict.fromkeys(change for place in told.where for change in _without(place, traces, merged))),
        )
    ]


def _without(place: str, traces: Traces, merged: Collection[str]) -> Iterator[ConfigChange]:
    """What takes originals out of a column: the tests that hold them, else the column."""
    why, tests = "it holds originals", traces.of_tests.get(place, ())
    if tests and {*merged}.issuperset(tests):
        yield from (without_column(one, why) for one in tests)
    else:
        yield ConfigChange.to(("release", "operations", place), "remove", why)
