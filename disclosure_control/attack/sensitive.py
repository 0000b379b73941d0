"""Released columns that give a released sensitive feature away: a copy of it in other words, such as a coded arm.

Who is asked: everybody with a value. What the equivalence class gives already is no finding; a quasi-identifier is
assessed by l and t. A sensitive feature that does not leave is a hidden column like others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from disclosure_control.attack.leaving import Leaving
from disclosure_control.attack.release_finding import FindingTold, ReleaseFinding
from disclosure_control.attack.tells.hidden_columns import HiddenColumn
from disclosure_control.attack.tells.telling import MOST_PEOPLE, Teller, told_by_one
from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.plain import NOT_IN_SUMMARY
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import Policy, count_in_sentence, count_text, people_told
from disclosure_control.basics.telling.words import listed

WHY = "it gives a sensitive feature away"


@dataclass(frozen=True)
class GivenAway:
    """A sensitive ``feature`` that released columns give: each for how many of the ``people`` with a value."""

    feature: str
    people_told: Mapping[str, int | None]
    people: int | None

    def for_reader(self, policy: Policy, leaving: Leaving) -> GivenAway:
        """The same with the counts that the reader may see."""
        n = self.people or 0
        return replace(
            self,
            people_told={
                name: leaving.told_of(policy, self.feature, n_told or 0, n) for name, n_told in self.people_told.items()
            },
            people=leaving.told_of(policy, self.feature, n),
        )

    def sentence(self, count: Callable[[int | None], str]) -> str:
        """Which column gives the feature, of how many people, each as ``count`` writes it."""
        gives = listed(f"{name} for {count(n)}" for name, n in self.people_told.items())
        return f"The sensitive {self.feature} of {people_told(self.people)} is given away by one column alone: {gives}."


@dataclass(frozen=True)
class SensitiveGivenAway(ReleaseFinding):
    """The sensitive features that single released columns give away."""

    given: Sequence[GivenAway]
    harmless: Sequence[str] = field(default=(), metadata=NOT_IN_SUMMARY)

    def words(self) -> Iterator[str]:
        """Which columns give which feature."""
        return (one.sentence(count_text) for one in self.given)

    def reasons(self) -> Iterator[Reason]:
        """A reason to hold for each feature, but for columns that are declared harmless."""
        for one in self.given:
            counted = {name: n for name, n in one.people_told.items() if name not in self.harmless}
            if counted:
                step = {"method": "drop_column", "columns": list(counted)}
                yield Reason(
                    Gravity.OUTSIDERS_CAN_SINGLE_OUT,
                    replace(one, people_told=counted).sentence(count_in_sentence),
                    'or state under "treatment", "harmless" why whoever knows them may learn it',
                    (ConfigChange.to(("treatment", "steps"), step, WHY, is_added=True),),
                    infers=True,
                )


def sensitive_given_away(leaving: Leaving) -> FindingTold:
    """Which released columns give a released sensitive feature away, beyond what the equivalence class gives."""
    config = leaving.before.config
    sensitive = [name for name in config.sensitive_features if name in leaving.released_names]
    found = list(_given(leaving, sensitive)) if sensitive else []

    def for_reader(policy: Policy) -> SensitiveGivenAway:
        return SensitiveGivenAway([one.for_reader(policy, leaving) for one in found], list(leaving.harmless))

    return for_reader


def _given(leaving: Leaving, sensitive: Sequence[str]) -> Iterator[GivenAway]:
    people = leaving.looked_at(MOST_PEOPLE)
    assessed = {*leaving.quasi_identifiers, *leaving.before.config.sensitive_features}
    names = [name for name in leaving.released_names if name in people.released]
    tellers = {name: Teller.of(people.released[name]) for name in names if name not in assessed}
    of_class = [people.released[name].astype("str").fillna("") for name in leaving.quasi_identifiers if name in names]
    classes = pd.Series(
        np.asarray(people.released.groupby(of_class).ngroup()) if of_class else 0, range(people.n_people)
    )
    for name in sensitive:
        everybody = people.original[name].notna().to_numpy()
        hidden = HiddenColumn.beside(leaving, name, people.original[name], classes.astype(str), everybody)
        if len(hidden.labels.labels) < 2:
            continue
        found = list(told_by_one(hidden, tellers))
        if found:
            yield GivenAway(name, {one.columns[0]: one.people_told for one in found}, int(everybody.sum()))
