"""A pilot's lattice and requirements, from its assessment and the settings of ``recommend``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from Anonymization_Models import EquivalenceClasses, bin_count_table, default_distance
from config.model_settings import PilotConfig
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import EncodedColumn
from disclosure_control.basics.encoding.hierarchies import ValueHierarchy
from disclosure_control.basics.telling.faults import FaultyInputError, stop_at
from disclosure_control.records.people import People
from disclosure_control.remedy.recodings.criteria import Criterion
from disclosure_control.remedy.recodings.generalisations import (
    Generalisation,
    Recoding,
    bin_settings,
    of_bins,
    of_hierarchy,
    of_numbers,
    of_rarity,
)
from disclosure_control.remedy.recodings.missing_policies import POLICIES
from disclosure_control.remedy.recodings.nodes import Lattice, bottom_node, roll_up
from disclosure_control.remedy.recodings.requirements import Requirements
from disclosure_control.remedy.treatments.algorithms.built_hierarchies import built_hierarchy
from disclosure_control.remedy.treatments.hierarchy_files import hierarchy_of_pilot


@dataclass(frozen=True)
class PilotLattice:
    """The recodings of a pilot.

    ``people`` are all of them in the finest classes, which are the combinations of the lattice; ``n_evaluated`` are
    evaluated without recoding. ``lowest``: the lowest level allowed for a quasi-identifier. ``criteria`` are l
    and t of every sensitive feature, as far as they can be met; ``models`` of "k", "l" and "t" are those that can;
    ``left_out`` says in sentences which cannot. ``inputs`` are the files of hierarchies that were read.
    """

    lattice: Lattice
    people: People
    n_evaluated: int
    missing_qis: str
    lowest: dict[str, int]
    k: int
    criteria: tuple[Criterion, ...]
    models: tuple[str, ...]
    left_out: tuple[str, ...]
    inputs: Mapping[str, dict[str, object]]

    @property
    def classes(self) -> EquivalenceClasses:
        """The finest classes, of all people."""
        return self.people.classes

    @property
    def begins_in_bins(self) -> bool:
        """Whether level 0 of some quasi-identifier is the config's bins, from which its loss is then counted."""
        return any(attribute.levels[0].recoding.kind == "bins" for attribute in self.lattice.attributes)

    def requirements(self, suppression_limit: float, keeps_somebody: bool = True) -> Requirements:
        """The requirements; t compares with those who are kept, as an assessment of the released records does."""
        k = self.k if "k" in self.models else 1
        return Requirements(
            k, self.criteria, suppression_limit, "kept", missing_qis=self.missing_qis, keeps_somebody=keeps_somebody
        )


def pilot_lattice(assessment: Assessment, hierarchies: Mapping[str, Any], folder: Path) -> PilotLattice:
    """``hierarchies``: column -> file in the pilot's ``folder``, or a rule of the treatment "hierarchy".

    Only classes are read, no records. Raises ``FaultyInputError`` with all faults of the hierarchies.
    """
    read, inputs = _read_hierarchies(assessment.people, hierarchies, folder)
    people, attributes, lowest = _attributes(assessment, hierarchies, read)
    classes, policy = people.classes, assessment.config.missing_qis
    lattice = Lattice.of(classes, attributes)
    criteria, models, left_out = _criteria(assessment.config, people, lattice)
    return PilotLattice(
        lattice=lattice,
        people=people,
        n_evaluated=int(classes.size[classes.evaluated(policy)].sum()),
        missing_qis=policy,
        lowest=lowest,
        k=assessment.config.K,
        criteria=criteria,
        models=models,
        left_out=left_out,
        inputs=inputs,
    )


# ---------------------------------------------------------------- the levels of each quasi-identifier


def _read_hierarchies(
    people: People, hierarchies: Mapping[str, Any], folder: Path
) -> tuple[dict[str, ValueHierarchy], dict[str, dict[str, object]]]:
    read: dict[str, ValueHierarchy] = {}
    inputs: dict[str, dict[str, object]] = {}
    faults: list[str] = []
    for name, source in hierarchies.items():
        try:
            if isinstance(source, str) and source not in ("mask", "dates"):
                read[name], files = hierarchy_of_pilot(source, folder, f"recommend['hierarchies'][{name!r}]")
                inputs |= files
                continue
            column = people.records.columns[name]
            built = built_hierarchy(column.values.iloc[column.occurs], source)
            if built is None:
                faults.append(f"recommend: column {name!r} has no value to build a hierarchy of; leave it out")
            else:
                read[name] = built
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    return read, inputs


def _attributes(
    assessment: Assessment, hierarchies: Mapping[str, Any], read: Mapping[str, ValueHierarchy]
) -> tuple[People, list[Generalisation], dict[str, int]]:
    config, people = assessment.config, assessment.people
    faults: list[str] = []
    columns = dict(zip(config.quasi_identifiers, people.classes.columns_of_classes, strict=True))
    of_exact_values = [
        name
        for name, hierarchy in read.items()
        if name in config.binning_config and (hierarchy.leaves_of(columns[name].labels) < 0).any()
    ]
    if of_exact_values:  # the config's bins are too coarse for the leaves of these
        edges_of_others = {name: one for name, one in config.binning_config.items() if name not in of_exact_values}
        exact = dataclasses.replace(config, binning_config=edges_of_others)
        people = People(exact, people.records)
    attributes, classes = [], people.classes
    for name, column in zip(config.quasi_identifiers, classes.columns_of_classes, strict=True):
        edges = None if name in of_exact_values else config.binning_config.get(name)
        try:
            levels = _attribute(name, column, classes.size, edges, config, read.get(name), hierarchies.get(name))
            attributes.append(levels)
        except FaultyInputError as error:
            faults += error.faults
    stop_at(faults)
    # A column that the config puts in bins is never released in exact values.
    return people, attributes, dict.fromkeys(of_exact_values, 1)


def _attribute(
    name: str,
    column: EncodedColumn,
    size: np.ndarray,
    edges: list[float] | None,
    config: PilotConfig,
    hierarchy: ValueHierarchy | None,
    source: object,
) -> Generalisation:
    has_tails = config.out_of_range == "tail"
    if hierarchy is not None:
        is_file = isinstance(source, str) and source not in ("mask", "dates")
        settings = {"file": source} if is_file else {"rule": source}
        bins = None if edges is None else bin_settings(edges, has_tails)
        return of_hierarchy(name, column, hierarchy, Recoding("hierarchy", settings, bins))
    people = np.bincount(column.codes + 1, size, len(column.labels) + 1)[1:].astype(np.int64)
    if edges is not None:
        return of_bins(name, column, people, edges, has_tails)
    if column.is_numeric and name in config.continuous_qis:
        return of_numbers(name, column)
    return of_rarity(name, column, people, config.K)


# ---------------------------------------------------------------- the requirements


def _criteria(
    config: PilotConfig, people: People, lattice: Lattice
) -> tuple[tuple[Criterion, ...], tuple[str, ...], tuple[str, ...]]:
    """l and t as the config requires them. A threshold that all evaluated people together do not meet is left out and
    reported. All are those whom the coarsest recoding evaluates, as every other one evaluates some of them.
    """
    left_out = []
    coarsest = roll_up(bottom_node(lattice), lattice.top)
    outside, evaluated = POLICIES[config.missing_qis].outside(coarsest), np.ones(people.classes.n_classes, dtype=bool)
    if outside is not None:
        evaluated = ~outside[coarsest.class_of_combination]
    n_people = int(lattice.people[evaluated].sum())
    of_l, of_t = [], []
    for name in config.sensitive_features:
        counted = people.counts[name]
        binned = counted.table
        if name in config.sensitive_binning:
            binned, _ = bin_count_table(binned, name, config.sensitive_binning[name], config.out_of_range)
        of_l.append(Criterion("distinct_l", name, config.L[name], binned))
        distance = config.t_distance.get(name) or default_distance(counted.table)
        of_t.append(Criterion(f"{distance}_t", name, config.T[name], counted.table))
    models = {"k": n_people >= config.K, "l": True, "t": bool(of_t)}
    if not models["k"]:
        left_out.append(f"K = {config.K} cannot be met by {n_people} evaluated records, so k is ignored here.")
    for criterion in of_l:
        n_values = int((criterion.table.within(evaluated).people_of_value > 0).sum())
        if n_values < criterion.threshold:
            models["l"] = False
            left_out.append(
                f"L = {criterion.threshold:g} cannot be met: {criterion.sensitive} has only {n_values} distinct values "
                "or bins. No recoding can change that, so l is ignored here."
            )
    models["l"] &= bool(of_l)
    criteria = [*(of_l if models["l"] else []), *of_t]
    return tuple(criteria), tuple(name for name, is_in in models.items() if is_in), tuple(left_out)
