"""One pilot from its combined dataset to the results of k, l and t: encode once, count once, evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from Anonymization_Models import (
    DISTANCES,
    EquivalenceClasses,
    ModelResult,
    SensitiveCounts,
    count_by_missing_policy,
    default_distance,
    run_k_anonymity,
    run_l_diversity,
    run_t_closeness,
)
from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.binning import Binning
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.records.people import People
from disclosure_control.records.records import EncodedRecords


@dataclass(frozen=True)
class Assessment:
    """The assessment of one pilot, from which reports and files of risky rows are made.

    ``people`` are the evaluated ones, as an engine counted them; ``binnings``: per binned column, who is outside
    the edges; ``notices`` are sentences on thresholds that cannot be met.
    """

    config: PilotConfig
    people: People
    binnings: dict[str, Binning]
    k_anonymity: ModelResult
    l_diversity: dict[str, ModelResult]
    t_closeness: dict[str, ModelResult]
    missing_policies: dict[str, dict[str, int]]
    notices: tuple[str, ...]

    @property
    def classes(self) -> EquivalenceClasses:
        return self.people.classes

    @property
    def counts(self) -> Mapping[str, SensitiveCounts]:
        return self.people.counts

    @property
    def results(self) -> list[ModelResult]:
        """k, then l and t of each sensitive feature."""
        return [self.k_anonymity, *self.l_diversity.values(), *self.t_closeness.values()]


def assess(df: pd.DataFrame, config: PilotConfig, subjects: pd.Series | None = None) -> Assessment:
    """Bin, form the classes once, count each sensitive feature once, and evaluate k, l and t on the counts.

    ``df`` has one row per person; ``subjects`` (n_records,) are their ids, for lists of people.
    """
    return evaluate(People(config, EncodedRecords.in_memory(df, subjects)), config)


def evaluate(people: People, config: PilotConfig) -> Assessment:
    """k, l and t of people as an engine counted them: the same figures, whatever engine that was."""
    classes, counts = people.classes, people.counts
    binnings, binned_counts = dict(people.binnings), dict(counts)
    for name, edges in config.sensitive_binning.items():
        binned_counts[name], binnings[name] = counts[name].binned(name, edges, config.out_of_range)
    qis, policy = config.quasi_identifiers, config.missing_qis
    l_results, t_results = {}, {}
    for name in config.sensitive_features:
        l_results[name] = run_l_diversity(
            None, qis, name, config.L[name], missing_qis=policy, classes=classes, counts=binned_counts[name]
        )
        distance = config.t_distance.get(name)
        t_results[name] = run_t_closeness(
            None, qis, name, config.T[name], distance, policy, classes=classes, counts=counts[name]
        )
    return Assessment(
        config=config,
        people=people,
        binnings=binnings,
        k_anonymity=run_k_anonymity(None, qis, config.K, policy, classes),
        l_diversity=l_results,
        t_closeness=t_results,
        missing_policies=count_by_missing_policy(classes, config.K),
        notices=tuple(unattainable_thresholds(config, classes, binned_counts, counts)),
    )


def unattainable_thresholds(
    config: PilotConfig,
    classes: EquivalenceClasses,
    binned_counts: Mapping[str, SensitiveCounts],
    counts: Mapping[str, SensitiveCounts],
) -> list[str]:
    """Thresholds that no class could meet, or none could miss, in sentences; l uses ``binned_counts``."""
    evaluated = classes.evaluated(config.missing_qis)
    n_evaluated = int(classes.size[evaluated].sum())
    notices = []
    if n_evaluated < config.K:
        notices.append(
            f"K = {config.K} is above the {n_evaluated} evaluated records: no class can meet it, all are flagged."
        )
    for name, counted in binned_counts.items():
        bins = config.sensitive_binning.get(name)
        n_values = int((counted.people_of_value(evaluated) > 0).sum())
        if config.L[name] > n_values:
            tails = " and their tails" if config.out_of_range == "tail" else ""
            in_bins = f" in {len(bins) - 1} bins{tails}" if bins is not None else ""
            notices.append(
                f"L = {config.L[name]} cannot be met: {name}{in_bins} has only {n_values} distinct values among the "
                "evaluated records, so all of them are flagged."
            )
    for name, counted in counts.items():
        distance = config.t_distance.get(name) or default_distance(counted)
        if not DISTANCES[distance].in_units and config.T[name] >= 1:
            notices.append(
                f"T = {number_text(config.T[name])} flags nobody: t of {name} is a share from 0 to 1; set T below 1."
            )
    return notices
