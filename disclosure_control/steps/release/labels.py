"""What the report says of labels and names that do not leave, and the reasons to hold for those that cannot go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.basics.telling.words import counted
from disclosure_control.release.texts.labels import LABEL, NAME, JudgedLabel, JudgedLabels

LABELS = "labels_and_names.csv"


@dataclass(frozen=True)
class LabelsTold:
    """How many labels were emptied in each file, or replaced by the standard's; and columns left out for their names.

    ``files``, columns and texts are in the restricted list; names that may name somebody are not given here.
    """

    emptied: Mapping[str, int]
    replaced: Mapping[str, int]
    left_out: int
    needed: int

    @classmethod
    def of(cls, judged: JudgedLabels) -> LabelsTold:
        """What became of the labels and names of a study."""
        unnamed = {one.file for one in judged.needed if not one.column}
        gone = [one for one in judged.gone if one.kind == LABEL]
        return cls(
            emptied=_by_file([one for one in gone if not one.instead], unnamed),
            replaced=_by_file([one for one in gone if one.instead], unnamed),
            left_out=sum(one.kind == NAME for one in judged.gone),
            needed=len(judged.needed),
        )

    def parts(self) -> Iterator[Part]:
        """Sentences for the report."""
        said = [f"{name}: {counted(n, 'label')} emptied" for name, n in self.emptied.items()]
        said += [f"{name}: {counted(n, 'label')} replaced by the standard's" for name, n in self.replaced.items()]
        if self.left_out:
            said.append(f"{counted(self.left_out, 'column')} left out for the name")
        if said:
            yield Sentence(
                "Labels and names that may name somebody, or are in other words than the standard's: "
                f"{'; '.join(said)}. {LABELS} lists them, for you alone. Those that name nobody may leave: "
                '"release": {"declared_names": ["..."]}.',
                Style.NOTICE,
            )


def _by_file(gone: list[JudgedLabel], unnamed: set[str]) -> dict[str, int]:
    return dict(sorted(Counter("another file" if one.file in unnamed else one.file for one in gone).items()))


def reasons_of_labels(judged: JudgedLabels) -> tuple[Reason, ...]:
    """Names of files, and of columns that the config needs, that may name somebody."""
    n = len(judged.needed)
    if not n:
        return ()
    files = sum(not one.column for one in judged.needed)
    which = [counted(files, "file")] if files else []
    which += [counted(n - files, "column")] if n > files else []
    return (
        Reason(
            Gravity.NAMES_A_PERSON,
            f"The name of {' and of '.join(which)} that leave may name somebody; {LABELS} says which and why.",
            'rename them in the source, or declare the names: "release": {"declared_names": ["..."]}',
        ),
    )
