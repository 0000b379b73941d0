"""Coordinates of places on the map."""

from __future__ import annotations

import numpy as np

from disclosure_control.basics.column_names import any_of
from disclosure_control.identifiers.column_findings import Grade
from disclosure_control.identifiers.column_values import FEWEST_PEOPLE, ColumnValues
from disclosure_control.identifiers.registry import Hits, IdentifierKind

PAIR = r"^\(?[-+]?\d{1,2}[.,]\d{3,8}°?[ ]?[NSΒΝСЮ]?\s?[,;/ ]\s?[-+]?\d{1,3}[.,]\d{3,8}°?[ ]?[EWOΑΔИЗ]?\)?$"
DEGREES = r"""\d{1,3}° ?\d{1,2}['′’] ?[\d.,]*(["″”]|'')? ?[NSEWOΒΝΑΔСЮИЗ]?"""
DECIMAL = r"^-?\d{1,3}[.,]\d{4,15}$"
HEADING = any_of(
    *("lat", "latitude", "lon", "long", "longitude", "lng", "coord", "koordin", "gps", "breite", "lange", "geo"),
    *("szerok", "dlug", "γεωγραφ", "συντεταγμ", "πλατος", "μηκος", "ширина", "дължина", "координ", "latitud"),
)


def detect(column: ColumnValues) -> Hits | None:
    """Pairs of degrees; degrees with minutes; a narrow range of numbers with four to seven decimals, one each."""
    if not column.is_number:
        pairs = column.matches(PAIR) | column.matches(DEGREES)
        if pairs.sum() >= 3 and column.share(pairs) >= 0.05:
            return Hits(pairs, "sure")
    decimal = column.matches(DECIMAL)
    if column.share(decimal) < 0.8 or column.n_distinct < FEWEST_PEOPLE:
        return None
    numbers = column.numbers[decimal]
    if np.nanmax(np.abs(numbers)) > 180:
        return None
    if column.is_headed(HEADING):
        return Hits(decimal, "sure")
    # 37.98384, 23.72753: a study's places lie close together; converted results of a laboratory are mostly below ten.
    low, high = np.nanquantile(numbers, [0.02, 0.98])
    alike = column.share(column.matches(r"^-?\d{1,3}[.,]\d{4,7}$")) >= 0.95 and _is_of_one_precision(column, decimal)
    if alike and high - low <= 15 and abs(low + high) / 2 >= max(high - low, 10.0) and column.is_one_each:
        return Hits(decimal, "possible")  # or an exact measurement
    return None


def _is_of_one_precision(column: ColumnValues, decimal: np.ndarray) -> bool:
    """Whether nine of ten values have the same number of decimals, but for zeros at the end that were cut off."""
    values = np.asarray(column.sample, dtype=object)[decimal]
    lengths = np.array([len(value) - max(value.find("."), value.find(",")) - 1 for value in values])
    longest = np.quantile(lengths, 0.95)
    return bool((lengths <= longest).mean() >= 0.95 and (lengths >= longest - 1).mean() >= 0.9)


KINDS = {
    "coordinates": IdentifierKind(
        grade=Grade.KNOWN_TO_OUTSIDERS,
        words="places on the map",
        what_to_do="drop the column; keep a district instead",
        documentation=(
            "pairs of decimal degrees, degrees with minutes, or a column of numbers of four to seven decimals in the "
            "narrow range of a study's places; such numbers veto only where the heading names a place"
        ),
        detect=detect,
        yields_to=("ip_address", "phone"),
        place=52,
    )
}
