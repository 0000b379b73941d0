"""Which columns came in, which left and how, as the JSON summary of a run lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disclosure_control.basics.column_names import any_of, folded
from disclosure_control.rules.registry import ColumnsAsked

CODED = ("recode subject", "recode id")  # operations after which an id is a pseudonym
RECODED = "recoded"  # by the release, as the treatment does: grouped, banded, rounded
TREATED = "treated"  # by any other step of the treatment, which may be chance or other people's values
OPERATION_OF = {"recode_ids": "recode id", "shift_dates": "offset"}  # by step of the treatment
EMPTIED = "emptied"  # in some or all cells, which had texts of few people
HOW = {  # in words; a column is told under the first of these that it has
    **dict.fromkeys(CODED, "replaced by pseudonyms"),
    RECODED: "made coarser",
    "derive age": "with ages above 89 put together",
    "offset": "moved by a number of days per person",
    TREATED: "changed by the treatment",
    EMPTIED: "emptied in some or all cells",
}
GONE = ("remove", "remove data set", "review")  # operations after which a column is in no released file


@dataclass(frozen=True)
class ColumnsOfRun:
    """The columns of a run: ``product`` is what they left in. ``changed``: of those that left, by operation.

    ``found`` and ``found_in_product`` are the scan's findings, a column with its kind, before and after;
    ``is_scanned``: what leaves was searched by values.
    """

    product: str
    gone: Sequence[str]
    left: Sequence[str]
    changed: Mapping[str, Sequence[str]]
    found: Sequence[tuple[str, str]]
    found_in_product: Sequence[tuple[str, str]]
    is_scanned: bool

    def asked(self, asked: ColumnsAsked) -> AskedColumns:
        """What became of the columns that a rule asks for."""
        named = {column for column in (*self.gone, *self.left) if _is_headed(column, asked)}
        by_value = {name for column, kind in self.found if kind in asked.kinds for name in self._in_files(column)}
        still = {dotted(column) for column, kind in self.found_in_product if kind in asked.kinds}
        came_in = named | by_value | still
        by_operation = {kind: set(names) for kind, names in self.changed.items()}
        changed = set().union(*(by_operation.get(kind, set()) for kind in asked.operations))
        changed |= came_in & set().union(
            *(by_operation.get(kind, set()) for kind in (*CODED, RECODED, TREATED, EMPTIED))
        )
        left = set(self.left)
        told: dict[str, list[str]] = {}
        for column in sorted(changed & left):
            kinds = (*HOW, *asked.operations)
            how = next(kind for kind in kinds if column in by_operation.get(kind, ()))
            told.setdefault(HOW.get(how, how), []).append(column)
        return AskedColumns(
            present=sorted(((came_in & left) - changed) | (still - changed)),
            changed=told,
            removed=sorted(came_in - left - still),
        )

    def _in_files(self, column: str) -> list[str]:
        """The columns of files that a column of the scan is: itself, what it carries, or those that it was merged from.

        ``LB__Cholesterol.LBNAM`` carries ``LB.LBNAM``.
        """
        itself, (domain, _, variable) = dotted(column), column.partition("__")
        known = (*self.gone, *self.left)
        for name in (itself, f"{domain}.{variable.rpartition('.')[2]}"):
            if name in known:
                return [name]
        return [name for name in known if name.partition(".")[2] == itself.partition(".")[2]]


@dataclass(frozen=True)
class AskedColumns:
    """The columns of one rule: those that leave, leave changed (by how, in words), and do not leave."""

    present: Sequence[str]
    changed: Mapping[str, Sequence[str]]
    removed: Sequence[str]


def columns_of_run(summary: Mapping[str, Any]) -> ColumnsOfRun | None:
    """The columns as the released package has them, else the treated dataset; None where nothing leaves."""
    found = _findings(summary.get("identifiers", {}).get("findings", ()))
    release = summary.get("release", {})
    if release.get("released"):
        operations: dict[str, list[str]] = release["operations"]
        gone = {column for kind in GONE for column in operations.get(kind, ())}
        changed = {kind: sorted(set(names) - gone) for kind, names in operations.items() if kind not in GONE}
        left = sorted({*release["kept"], *(name for names in changed.values() for name in names)} - gone)
        changed[RECODED] = list(release.get("recoded", ()))
        changed[EMPTIED] = [one["column"] for one in release.get("rare_texts", ())]
        in_product = _findings(release.get("identifiers", ()))
        return ColumnsOfRun("released/", sorted(gone), left, changed, found, in_product, not release.get("not_scanned"))
    treatment = summary.get("treatment", {})
    if treatment.get("released"):
        left, out = (sorted(map(dotted, treatment[kind])) for kind in ("missing_of_kept", "columns_dropped"))
        in_product = [(column, kind) for column, kind in found if dotted(column) in left]
        steps = treatment.get("steps", ())
        changed = {
            kind: sorted({name for step in steps for name in _changed_by(step, kind)} & set(left))
            for kind in (*OPERATION_OF.values(), TREATED)
        }
        product = str(treatment.get("dataset", "the treated dataset"))
        return ColumnsOfRun(product, out, left, changed, found, in_product, "identifiers" in summary)
    return None


def _findings(listed: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(str(one["column"]), str(one["kind"])) for one in listed]


def _changed_by(step: Mapping[str, Any], kind: str) -> list[str]:
    """The columns whose values a step of the treatment changed, if that is what it does to them."""
    is_kind = OPERATION_OF.get(step["method"], TREATED) == kind
    return [dotted(name) for name, n in step["changed"].items() if n != 0 and is_kind]


def dotted(column: str) -> str:
    """The name of a column in a file: ``DM__SEX`` of the merge is ``DM.SEX`` there."""
    return column.replace("__", ".", 1)


def _is_headed(column: str, asked: ColumnsAsked) -> bool:
    heading = folded(column.partition(".")[2] or column)
    if asked.not_headings and any_of(*asked.not_headings).search(heading):
        return False
    return bool(asked.headings) and any_of(*asked.headings).search(heading) is not None
