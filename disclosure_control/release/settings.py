"""The config key ``release``: the key of pseudonyms and offsets, the format, and lines that override the operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.settings.fields import SettingsGroup, nested, setting
from disclosure_control.basics.settings.kinds import (
    FLAG,
    SHARE,
    TEXT,
    TEXTS,
    Kind,
    Place,
    are_names,
    dictionary_of,
    is_name,
    one_of,
    some_of,
    whole_number,
)
from disclosure_control.basics.telling.faults import nearest_name
from disclosure_control.measures.longitudinal import LARGEST_SIZE
from disclosure_control.release.facts.facts import KINDS
from disclosure_control.release.terms.rare_terms import RareTerms
from disclosure_control.release.texts.text_rules import ALL
from disclosure_control.remedy.treatments.keys import KEY_FROM
from disclosure_control.remedy.treatments.methods.shift_dates import KEEP_TIMES, REMOVE_TIMES
from disclosure_control.remedy.treatments.one_release import DEFAULT_DAYS, FEWEST_DAYS, faults_of_one_release
from disclosure_control.study_tables.fit import FitForUseSettings
from study.formats.registry import writers_by_name
from study.merge.subject_ids import DEFAULT_COLUMN
from study.models.sdtm_operations import overriding_line
from study.operations import OperationKind, OperationRule, patterns_deciding

# The operations that a config may choose for a variable; "leave_out" removes a data set.
_NOT_FOR_A_CONFIG = (OperationKind.REMOVE_DATA_SET, OperationKind.REVIEW)
_ALLOWED = tuple(str(kind) for kind in OperationKind if kind not in _NOT_FOR_A_CONFIG)


def _unknown_operation(value: object, place: Place) -> list[str]:
    if value in _ALLOWED:
        return []
    allowed = ", ".join(f'"{kind}"' for kind in _ALLOWED)
    return [f"{place}: unknown operation{nearest_name(value, _ALLOWED)}; allowed: {allowed}"]


_OPERATION = Kind(lambda value: True, "an operation", OperationKind, within=_unknown_operation)
_TIMES = Kind(
    lambda value: value in (REMOVE_TIMES, KEEP_TIMES) or are_names(value),
    f'"{REMOVE_TIMES}", "{KEEP_TIMES}" or a list of domains',
    lambda value: value if isinstance(value, str) else tuple(map(str.upper, value)),
)
_DECLARED = Kind(
    lambda value: value == ALL or (isinstance(value, list | tuple) and len(value) > 0 and all(map(is_name, value))),
    '"all", or a list of texts',
    lambda value: ALL if value == ALL else tuple(value),
)
_DOMAINS = Kind(are_names, "a list of domains", lambda value: tuple(map(str.upper, value)))


@dataclass(frozen=True)
class OutsidersKnow(SettingsGroup):
    """The knowledge of outsiders that the verdict assumes: up to so many ``facts`` of these ``kinds`` about a person.

    No ``kinds``: those that are usual for the data model. The package is held if a greater share of the people than
    ``alone_at_most`` is alone by them.
    """

    facts: int = setting(whole_number(0, LARGEST_SIZE), "how many things acquaintances know of a person", 1)
    kinds: tuple[str, ...] = setting(
        some_of(*KINDS),
        "the kinds of facts",
        (),
        "all that tables have columns for, except intervals and durations; of SDTM terms, visits, death and hospital",
    )
    months: bool = setting(FLAG, "whether they know the month of each", False)
    alone_at_most: float = setting(SHARE, "the largest share of people who may be alone by them", 0.0)


@dataclass(frozen=True)
class EarlierReleaseSettings(SettingsGroup):
    """An earlier release of the pilot: its ``folder``, and its ``name``; None if it has this one's name.

    The folder is absolute, or within the pilot's. The key was the same.
    """

    folder: str = setting(TEXT, "its folder, absolute or within the pilot's")
    name: str | None = setting(TEXT, "its name", None, "that of this release")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


_ONE = nested(EarlierReleaseSettings)
_EARLIER = Kind(
    lambda value: all(map(_ONE.is_valid, _listed(value))),
    f"{_ONE.allowed}, or a list of them",
    lambda value: tuple(map(_ONE.read, _listed(value))),
    within=lambda value, place: (
        _ONE.within(value, place)
        if isinstance(value, dict)
        else [fault for i, one in enumerate(value) for fault in _ONE.within(one, place[i])]
    ),
)


@dataclass(frozen=True)
class ReleaseSettings(SettingsGroup):
    """The config key ``release``.

    ``format`` None: each file keeps its format. ``operations`` override the table, the config's words by
    pattern. ``name`` and ``days`` None: those that the treatment names. ``rare_terms`` None: coded terms stay,
    but for ``hide_terms``, by the pattern of a variable.
    ``declared_texts`` may leave although few people have them, by the pattern of a variable.
    ``earlier``: releases that a recipient may have as well.
    """

    key_from: Mapping[str, str] = setting(
        KEY_FROM, "the secret key of pseudonyms and offsets, as for [`treatment`](treatment.md)"
    )
    days: int | None = setting(
        whole_number(FEWEST_DAYS, 36_500),
        "dates move by up to so many days, back or forth",
        None,
        f"those of `shift_dates` under `treatment`, else {DEFAULT_DAYS}",
    )
    times: str | tuple[str, ...] = setting(
        _TIMES, 'times of day: "remove", "keep", or the domains that keep them, such as ["PC"]', REMOVE_TIMES
    )
    format: str | None = setting(one_of(*writers_by_name()), "the format of all files", None, "as each came")
    operations: Mapping[str, OperationKind] = setting(
        dictionary_of(_OPERATION, '{pattern of a variable, such as "AE.AETERM" or "--SPID": an operation}'),
        'what is done with variables, over the table: `{"AE.AETERM": "keep", "--SPID": "remove"}`',
        {},
    )
    leave_out: tuple[str, ...] = setting(_DOMAINS, "domains that are not released", ())
    name: str | None = setting(
        TEXT,
        "the name of the release: another name gives other pseudonyms and offsets",
        None,
        "that of `treatment` (`release`), else by content",
    )
    outsiders_know: OutsidersKnow = setting(
        nested(OutsidersKnow),
        "what acquaintances know of a person's course, for the verdict: [below](#facts-in-further-rows)",
        OutsidersKnow(),
        "one thing",
    )
    rare_terms: RareTerms | None = setting(
        nested(RareTerms), "what happens to coded terms of few people: [below](#rare-terms)", None, "they stay"
    )
    hide_terms: Mapping[str, Sequence[str]] = setting(
        dictionary_of(TEXTS, "{pattern of a variable: a list of terms}"),
        "coded terms that are hidden, however many people have them: [below](#rare-terms)",
        {},
    )
    declared_texts: Mapping[str, Sequence[str] | str] = setting(
        dictionary_of(_DECLARED, '{pattern of a variable: "all" or a list of texts}'),
        "texts of few people that you have read and that name nobody: [below](#rare-texts)",
        {},
    )
    declared_names: tuple[str, ...] = setting(
        TEXTS.but("a list of labels and names"),
        "labels, and names of files, columns and QNAMs, that name nobody: [below](#labels-and-names)",
        (),
    )
    earlier: tuple[EarlierReleaseSettings, ...] = setting(
        _EARLIER,
        "earlier releases that a recipient may have as well: [below](#beside-earlier-releases)",
        (),
    )
    study_tables: bool = setting(
        FLAG,
        "whether tables of the study are compared, as it came in and as it leaves: [study tables](study_tables.md)",
        True,
    )
    fit_for_use: FitForUseSettings = setting(
        nested(FitForUseSettings),
        "how much these tables may change: [study tables](study_tables.md#fit-for-use)",
        FitForUseSettings(),
        "see there",
    )

    @property
    def lines(self) -> tuple[OperationRule, ...]:
        """The config's own lines of the table of operations; those of one domain take precedence over those of all."""
        ordered = sorted(self.operations.items(), key=lambda item: "." not in item[0])
        return tuple(overriding_line(pattern, operation) for pattern, operation in ordered)

    def check(self, place: Place, given: Mapping[str, Any]) -> Iterator[str]:
        """Lines that contradict the treatment, or leave the subject's id, take it out, or give it several names."""
        yield from faults_of_one_release(place.pilot.literal)
        rule = place.pilot.literal.get("subject_id", {})
        column = rule.get("column", DEFAULT_COLUMN) if isinstance(rule, dict) else DEFAULT_COLUMN
        if not isinstance(column, str):
            return
        for pattern, says in patterns_deciding(column, self.lines).items():
            if says.operation != OperationKind.RECODE_SUBJECT:
                yield (
                    f"{place['operations'][pattern]}: {says.operation} is for other variables than {column}, the "
                    f'subject id, which is always a pseudonym; allowed: "{OperationKind.RECODE_SUBJECT}", or a pattern '
                    "without it"
                )
