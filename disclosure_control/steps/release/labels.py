"""What the report says of labels and names that do not leave, and the reasons to hold for those that cannot go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.sections import Part, Sentence, Style
from disclosure_control.basics.telling.words import capitalised, counted, listed
from disclosure_control.identifiers.ordinary_names import may_name_somebody
from disclosure_control.release.texts.labels import LABEL, NAME, TEXT, JudgedLabel, JudgedLabels

LABELS = "labels_and_names.csv"
LONGEST_TOLD = 60  # characters of a description in a sentence
DECLARED = ("release", "declared_names")


@dataclass(frozen=True)
class LabelsTold:
    """How many labels were emptied in each file, or replaced by the standard's; and columns left out for their names.

    ``files``, columns and texts are in the restricted list; names that may name somebody are not given here.
    ``unread``: names with words that the tool does not know, which nobody has declared.
    """

    emptied: Mapping[str, int]
    replaced: Mapping[str, int]
    left_out: int
    needed: int
    unread: int

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
            unread=len({one.text for one in judged.unread}),
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


def reasons_of_labels(judged: JudgedLabels, declared: Collection[str]) -> Iterator[Reason]:
    """Names of files, and of columns that the config needs, that may name somebody; and names that nobody has read."""
    if judged.needed:
        yield Reason(
            Gravity.NAMES_A_PERSON,
            f"The name of {_files_and_columns(judged.needed)} that leave may name somebody; {LABELS} says which and "
            "why.",
            'rename them in the source, or declare the names: "release": {"declared_names": ["..."]}',
        )
    suspected = [one for one in judged.unread if may_name_somebody(one.text, one.kind == TEXT)]
    for unread in ([one for one in judged.unread if one not in suspected], suspected):
        texts, one = list(dict.fromkeys(one.text for one in unread)), len(unread) == 1
        line = ConfigChange.to(DECLARED, [*declared, *texts], "names that leave: read each, none may name anybody")
        leave = "that leaves has" if one and unread[0].kind == TEXT else "that leave have"
        said = (
            f"{_names_and_descriptions(unread)} {leave} words that the tool does not know, and may name "
            f"a person or a place: {listed(map(_shortened, texts))}. Read {'it' if one else 'them'}"
        )
        if unread is suspected and unread:  # what a rule suspects no proposal declares: only a person can
            remedy = "rename in the source what names somebody, and declare the others"
            yield Reason(Gravity.NOT_DECIDED, f"{said}.", remedy, choices=(line,))
        elif unread:
            nobody = f"; the line says that {'it names' if one else 'they name'} nobody."
            yield Reason(Gravity.NOT_DECIDED, said + nobody, "or rename in the source what names somebody", (line,))


def _names_and_descriptions(unread: Sequence[JudgedLabel]) -> str:
    names = [one for one in unread if one.kind == NAME]
    texts = len({one.text for one in unread if one.kind == TEXT})
    said = [f"the names of {_files_and_columns(names)}"] if names else []
    return capitalised(" and ".join([*said, *([counted(texts, "description")] if texts else [])]))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]} ..."


def _files_and_columns(names: Sequence[JudgedLabel]) -> str:
    files = len({one.text for one in names if not one.column})
    columns = len({one.text for one in names if one.column})
    which = [counted(files, "file")] if files else []
    return " and of ".join([*which, *([counted(columns, "column")] if columns else [])])
