"""A slow referee of the search: records one by one, every transformation, definitions as the papers write them.

It shares nothing with the search but the hierarchies' labels. A hierarchy is a list of rows, leaf first. A missing
value is None, and where there is one the hierarchy has a row for it: None on each level, or the root that all have.
"""

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

TIE = 1e-9


@dataclass(frozen=True)
class Model:
    """``kind``: as in ``FAILS``; ``order`` or ``paths`` (value -> labels up a hierarchy) where the kind needs them."""

    kind: str
    threshold: float
    c: float = 2.0
    paths: dict = field(default_factory=dict)


def shares(values: list) -> dict:
    return {value: n / len(values) for value, n in Counter(values).items()}


def total_variation(p: dict, q: dict) -> float:
    return sum(abs(p.get(value, 0.0) - q.get(value, 0.0)) for value in {*p, *q}) / 2


def wasserstein(p: dict, q: dict, position: dict) -> float:
    values = sorted({*p, *q}, key=position.get)
    area, below_p, below_q = 0.0, 0.0, 0.0
    for value, following in itertools.pairwise(values):
        below_p, below_q = below_p + p.get(value, 0.0), below_q + q.get(value, 0.0)
        area += abs(below_p - below_q) * (position[following] - position[value])
    return area


def hierarchical(p: dict, q: dict, paths: dict) -> float:
    """Li et al., section 5.2: over inner nodes, level / height times min(extra, lacking) of the children."""
    height, cost = len(next(iter(paths.values()))) - 1, 0.0
    for level in range(1, height + 1):
        for node in {path[level] for path in paths.values()}:
            extra = defaultdict(float)
            for value, path in paths.items():
                if path[level] == node:
                    extra[path[level - 1]] += p.get(value, 0.0) - q.get(value, 0.0)
            over = sum(amount for amount in extra.values() if amount > 0)
            under = -sum(amount for amount in extra.values() if amount < 0)
            cost += level / height * min(over, under)
    return cost


def recursive(values: list, c: float) -> int:
    falling = sorted(Counter(values).values(), reverse=True)
    return max([1] + [l for l in range(1, len(falling) + 1) if falling[0] < c * sum(falling[l - 1 :])])  # noqa: E741


def fails(values: list, reference: list, model: Model) -> bool:
    """Whether a class with these sensitive values fails; None is missing."""
    values = [value for value in values if value is not None]
    reference = [value for value in reference if value is not None]
    if model.kind in L_MODELS:
        if not values:
            return True
        if model.kind == "distinct_l":
            return len(set(values)) < model.threshold
        if model.kind == "entropy_l":
            return math.exp(-sum(p * math.log(p) for p in shares(values).values())) < model.threshold - TIE
        return recursive(values, model.c) < model.threshold
    if not values:
        return False
    p, q = shares(values), shares(reference)
    if model.kind == "delta_disclosure":
        return max(abs(math.log2(p[value] / q[value])) for value in p) > model.threshold - TIE
    if model.kind == "basic_beta":
        return max(p[value] / q[value] - 1 for value in p) > model.threshold + TIE
    if model.kind == "total_variation_t":
        distance = total_variation(p, q)
    elif model.kind == "ordered_t":
        ranks = {value: rank for rank, value in enumerate(sorted(q))}
        distance = wasserstein(p, q, ranks) / max(len(ranks) - 1, 1)
    elif model.kind == "wasserstein_t":
        distance = wasserstein(p, q, {value: value for value in q})
    elif model.kind == "mean_difference_t":
        distance = abs(sum(values) / len(values) - sum(reference) / len(reference))
    else:
        distance = hierarchical(p, q, model.paths)
    return distance > model.threshold + TIE


def transformed(records: list[tuple], hierarchies: list[list[list[str]]], levels: tuple) -> list[tuple]:
    up = [{row[0]: row for row in rows} for rows in hierarchies]
    return [tuple(up[i][value][levels[i]] for i, value in enumerate(record)) for record in records]


L_MODELS = ("distinct_l", "entropy_l", "recursive_l")


def evaluated_records(released: list[tuple], missing: str) -> list[int]:
    return [position for position, record in enumerate(released) if missing != "exclude" or None not in record]


def may_be_alike(one: tuple, other: tuple) -> bool:
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def suppressed_records(
    released: list[tuple], sensitive: list, k: int, models: list[Model], reference: str, missing: str = "category"
) -> set[int]:
    """Positions of the records whose class fails. With "kept" first those by l, then by k or t, each class compared
    with all who are left, until no class fails. ``missing``: the policy for missing values.
    """
    classes = defaultdict(list)
    for position in evaluated_records(released, missing):
        classes[released[position]].append(position)

    def n_alike(record: tuple, gone: set[int]) -> int:
        others = classes if missing == "wildcard" else [record]
        return sum(
            sum(position not in gone for position in classes[other]) for other in others if may_be_alike(record, other)
        )

    def failing(chosen: list[Model], k: int, gone: set[int]) -> set[int]:
        left = [sensitive[position] for members in classes.values() for position in members if position not in gone]
        return {
            position
            for record, members in classes.items()
            if not set(members) <= gone
            and (n_alike(record, gone) < k or any(fails([sensitive[m] for m in members], left, one) for one in chosen))
            for position in members
        }

    if reference == "everybody":
        return failing(models, k, set())
    of_l = [model for model in models if model.kind in L_MODELS]
    comparing = [model for model in models if model.kind not in L_MODELS]
    gone = failing(of_l, 0, set())
    while found := failing(comparing, k, gone):
        gone |= found
    return gone


def loss_of(
    metric: str, records: list[tuple], hierarchies: list, levels: tuple, suppressed: set[int], weights
) -> float:
    released, n = transformed(records, hierarchies, levels), len(records)
    kept = [position for position in range(n) if position not in suppressed]
    sizes = Counter(released[position] for position in kept).values()
    if metric == "discernibility":
        return sum(size**2 for size in sizes) + n * len(suppressed)
    if metric == "average_class_size":
        return n / (len(sizes) + bool(suppressed))
    if metric == "height":
        return sum(w * level for w, level in zip(weights, levels, strict=True)) * len(levels) / sum(weights)
    if metric in OF_LEAVES:
        return loss_of_leaves(metric, records, released, hierarchies, levels, suppressed, weights)
    terms = []
    for i, rows in enumerate(hierarchies):
        n_leaves = len(rows)
        leaves = Counter(row[levels[i]] for row in rows)
        if metric.startswith("loss"):
            total = sum(1 if at in suppressed else leaves[released[at][i]] / n_leaves for at in range(n))
            terms.append((total - n / n_leaves) / (n - n / n_leaves) if n_leaves > 1 else 0.0)
        elif metric == "precision":
            terms.append(sum(1 if at in suppressed else levels[i] / (len(rows[0]) - 1) for at in range(n)) / n)
        else:
            before, after = Counter(record[i] for record in records), Counter(record[i] for record in released)
            bits = -sum(math.log2(before[records[at][i]] / after[released[at][i]]) for at in range(n))
            among = Counter(released[at][i] for at in suppressed)
            if metric != "non_uniform_entropy_monotone":
                bits -= sum(math.log2(among[released[at][i]] / len(suppressed)) for at in suppressed)
            if metric == "non_uniform_entropy_normalised":
                all_bits = -sum(math.log2(before[record[i]] / n) for record in records)
                bits = bits / all_bits if all_bits else 0.0
            terms.append(bits)
    shares_of_weights = [weight / sum(weights) for weight in weights]
    if metric == "loss":
        return math.prod((term + 1) ** share for term, share in zip(terms, shares_of_weights, strict=True)) - 1
    total = sum(term * share for term, share in zip(terms, shares_of_weights, strict=True))
    return total * len(terms) if metric.startswith("non_uniform_entropy") or metric == "loss_sum" else total


OF_LEAVES = ("ambiguity", "entropy_based_loss", "kl_divergence", "kl_divergence_by_record")


def loss_of_leaves(metric, records, released, hierarchies, levels, suppressed, weights) -> float:
    """Losses of the leaves under what is released of a record, one record after the other."""
    n, domains = len(records), [len(rows) for rows in hierarchies]
    counts = [Counter(row[level] for row in rows) for rows, level in zip(hierarchies, levels, strict=True)]
    leaves = [
        domains if at in suppressed else [count[label] for count, label in zip(counts, released[at], strict=True)]
        for at in range(n)
    ]
    if metric == "ambiguity":
        return float(sum(math.prod(of_record) for of_record in leaves))
    if metric == "entropy_based_loss":
        bits = [sum(w * math.log2(f) for w, f in zip(weights, of_record, strict=True)) for of_record in leaves]
        return sum(bits) / sum(w * math.log2(domain) for w, domain in zip(weights, domains, strict=True))
    alike, together = Counter(records), Counter(None if at in suppressed else released[at] for at in range(n))
    total, seen = 0.0, set()
    for at, record in enumerate(records):
        if metric == "kl_divergence" and record in seen:
            continue
        seen.add(record)
        p = alike[record] / n
        guessed = together[None if at in suppressed else released[at]] / n / math.prod(leaves[at])
        total += p * math.log2(p / guessed)
    return total


def best_loss(
    records,
    hierarchies,
    sensitive,
    k,
    models,
    limit,
    reference,
    metric,
    weights,
    lowest,
    highest,
    missing="category",
    keeps_somebody=False,
) -> float | None:
    """The least loss of any transformation with at most ``limit`` of the evaluated records suppressed; None if none is.

    The loss is that of all records. ``keeps_somebody``: somebody who is evaluated has to be left.
    """
    losses = []
    for levels in itertools.product(*(range(low, top + 1) for low, top in zip(lowest, highest, strict=True))):
        released = transformed(records, hierarchies, levels)
        suppressed = suppressed_records(released, sensitive, k, models, reference, missing)
        n = len(evaluated_records(released, missing))
        if len(suppressed) <= limit * n + 1e-9 and not (keeps_somebody and len(suppressed) == n):
            losses.append(loss_of(metric, records, hierarchies, levels, suppressed, weights))
    return min(losses, default=None)
