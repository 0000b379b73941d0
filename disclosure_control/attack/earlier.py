"""Earlier releases that a recipient may have as well: who is in which of their classes, and who is held back for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from disclosure_control.attack.tells.merged import MergedPackage, evaluated_package
from disclosure_control.basics.encoding.columns import encode_column
from disclosure_control.basics.encoding.keys import number_rows
from disclosure_control.basics.telling.faults import FaultyInputError
from disclosure_control.measures.two_releases import people_to_hold_back, shared_codes
from disclosure_control.release.making import Asked, Making
from disclosure_control.release.package import merged_again, opened_again
from disclosure_control.release.people import labels
from disclosure_control.release.settings import EarlierReleaseSettings
from disclosure_control.remedy.treatments.keys import Release, pseudonyms_of
from study.formats.files import Read, find_domain_files
from study.formats.tables import SourceTable

Inputs = dict[str, dict[str, object]]


@dataclass(frozen=True)
class EarlierReleases:
    """Everybody (n,) who is in one of the ``packages``.

    ``person`` (n,) is the place in the pilot, -1 of who left; ``classes`` (n,) are people whom all the releases
    together do not tell apart; ``rows`` are the places among these n people of each package's records. ``inputs`` are
    the files that were read, with their SHA-256.
    """

    packages: tuple[MergedPackage, ...] = field(repr=False)
    rows: tuple[np.ndarray, ...] = field(repr=False)
    person: np.ndarray = field(repr=False)
    classes: np.ndarray = field(repr=False)
    inputs: Mapping[str, dict[str, object]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        packages: Sequence[tuple[MergedPackage, Release]],
        ids: Sequence[str],
        n_people: int,
        key: bytes,
        as_numbers: bool = False,
        inputs: Mapping[str, dict[str, object]] | None = None,
    ) -> EarlierReleases:
        """Person by person: the key and the name of each release give its pseudonyms.

        ``ids`` are those of the ``n_people`` of the pilot, then of people who left it. Anybody else is a person of the
        releases of one name. Raises ``FaultyInputError`` where nobody of a release is found among the ids.
        """
        others: dict[tuple[str, str], int] = {}
        whose = []
        for merged, release in packages:
            released = pd.Index(merged.records.ids())
            place = pd.Index(pseudonyms_of(key, release, ids, as_numbers=as_numbers)).get_indexer(released)
            if not (place >= 0).any():
                raise FaultyInputError(_NOBODY.format(n=len(place)))
            for row in np.flatnonzero(place < 0):
                place[row] = others.setdefault((release.name, str(released[row])), len(ids) + len(others))
            whose.append(place)
        people = np.unique(np.concatenate(whose))
        rows = tuple(np.searchsorted(people, place) for place in whose)
        codes = [np.zeros(len(people), dtype=np.int64) for _ in rows]
        for of_release, place, (merged, _) in zip(codes, rows, packages, strict=True):
            of_release[place] = merged.classes + 1
        classes = number_rows(codes, [int(one.max()) + 1 for one in codes], len(people))[0]
        person = np.where(people < n_people, people, -1)
        return cls(tuple(one for one, _ in packages), rows, person, classes, inputs or {})

    def text(self, name: str) -> pd.Series | None:
        """The last value (n,) of each person in a column; None if no release has it."""
        found = np.full(len(self.person), None, dtype=object)
        texts = [merged.text(name) for merged in self.packages]
        for column, place in zip(texts, self.rows, strict=True):
            if column is not None:
                known = column.notna().to_numpy()
                found[place[known]] = column.to_numpy(dtype=object)[known]
        return None if all(column is None for column in texts) else pd.Series(found, dtype="str")


_NOBODY = (
    "release['earlier']: none of the {n} people of the earlier release is one of this pilot under this key and the "
    'name of that release; give its name: {{"folder": ..., "name": ...}}. A release whose config named none cannot be '
    "compared: take earlier out, and name this release for the next one"
)


def read_earlier(
    named: EarlierReleaseSettings, pilot_folder: Path, read: Read
) -> tuple[dict[str, SourceTable], Inputs]:
    """The data sets of an earlier release, and its files. Raises ``FaultyInputError`` if there is none."""
    folder = pilot_folder / Path(named.folder).expanduser()
    paths = find_domain_files(folder).by_domain if folder.is_dir() else {}
    if not paths:
        raise FaultyInputError(
            "release['earlier']['folder']: found no domain file there; allowed: the folder released/ of an earlier "
            "run, as it was then"
        )
    tables = opened_again(folder, read)
    called = "earlier release" if named.name is None else f"earlier release {named.name}"
    return tables, {f"{called}: {table.file_name}": {"sha256": table.sha256} for table in tables.values()}


def held_back(making: Making, earlier: EarlierReleases | None) -> Making:
    """Who would be in a part of fewer than K people, by this release and the earlier ones together, stays out of it.

    Nor does anybody stay whose sensitive value would follow. Joiners wait until K of their class have come; where fewer
    than K of a class left, others of it wait with them.
    Needs who stays, and in which class.
    """
    if earlier is None:
        return making
    people, n_people, is_left = making.people, len(making.people.ids), earlier.person < 0
    everybody = n_people + int(is_left.sum())
    of_earlier = np.where(is_left, n_people + is_left.cumsum() - 1, earlier.person)

    def by_person(values: np.ndarray, whose: np.ndarray) -> np.ndarray:
        found = np.full(everybody, -1, dtype=np.int64)
        found[whose] = values
        return found

    staying = np.flatnonzero(people.stays)
    now, before = by_person(making.classes[staying], staying), by_person(earlier.classes, of_earlier)
    sensitive = []
    for name, values in _sensitive_values(making.asked).items():
        there = earlier.text(name)
        encoded = None if there is None else encode_column(there)
        codes = shared_codes(encode_column(values), encoded, (len(values), len(of_earlier)))
        sensitive.append((by_person(codes[0], staying), by_person(codes[1], of_earlier)))
    order = np.append(making.drawn("held back"), np.zeros(everybody - n_people, dtype=np.int64))
    held = people_to_hold_back(now, before, making.asked.config.K, order, sensitive)[:n_people]
    kept = replace(people, stays=people.stays & ~held)
    return replace(making, people=kept, n_held_back=int((people.stays & held).sum()))


def _sensitive_values(asked: Asked) -> dict[str, pd.Series]:
    """The sensitive features of those who stay (n_kept,), as the treatment leaves them."""
    treated = asked.treated
    records = asked.original if treated is None else treated.records
    values = {name: one.values for name, one in records.columns.items()} if treated is None else treated.values
    names = [name for name in asked.config.sensitive_features if name in values]
    return {name: values[name].take(records.places(name)).reset_index(drop=True) for name in names}


def earlier_releases(making: Making, left: Iterable[str]) -> EarlierReleases | None:
    """All that the config names, merged as this pilot is; None if it names none. ``left``: ids of people before."""
    asked, inputs = making.asked, Inputs()
    packages = []
    for named in asked.settings.earlier:
        tables, of_release = read_earlier(named, asked.folder, asked.read_package)
        inputs |= of_release
        records = asked.files.merged(partial(merged_again, asked.rule, asked.merge, tables))
        merged = evaluated_package(records, asked.original, asked.config, asked.config)
        packages.append((merged, Release(asked.pilot, named.name or asked.release.name)))
    if not packages:
        return None
    own = [str(label) for label in labels(making.people.ids)]
    ids = list(dict.fromkeys([*own, *left]))
    return EarlierReleases.of(packages, ids, len(own), asked.key, making.people.are_numbers, inputs)
