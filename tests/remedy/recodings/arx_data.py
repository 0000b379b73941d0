"""ARX's tables, hierarchies and models as lattices and requirements."""

import functools
from pathlib import Path

import pandas as pd
import pytest

from Anonymization_Models import count_sensitive_values, form_equivalence_classes
from disclosure_control.basics.encoding.hierarchies import read_hierarchy
from disclosure_control.remedy.recodings.criteria import Criterion
from disclosure_control.remedy.recodings.generalisations import Recoding, of_hierarchy
from disclosure_control.remedy.recodings.nodes import Lattice
from disclosure_control.remedy.recodings.requirements import Requirements
from tests.places import SHARED

ADULT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
ADULT = [*ADULT, "salary-class"]
ARX_MODELS = {
    "tequal": "total_variation_t",
    "tordered": "ordered_t",
    "thier": "hierarchical_t",
    "distinct": "distinct_l",
    "entropy": "entropy_l",
    "grassberger": "grassberger_l",
    "recursive": "recursive_l",
    "beta": "basic_beta",
    "ebeta": "enhanced_beta",
    "delta": "delta_disclosure",
}
ARX_METRICS = {
    "loss": "loss",
    "nue": "non_uniform_entropy",
    "dm": "discernibility",
    "aecs": "average_class_size",
    "height": "height",
    "prec": "precision",
    "lossMean": "loss_mean",
    "lossSum": "loss_sum",
    "nueMono": "non_uniform_entropy_monotone",
    "nne": "non_uniform_entropy_normalised",
    "ambiguity": "ambiguity",
    "ebil": "entropy_based_loss",
    "kl": "kl_divergence_by_record",
}
OF_LATTICE_TABLES = ("loss", "nue", "dm", "aecs", "height", "prec")


def shared_file(name: str) -> Path:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"shared/{name} is not beside the clone")
    return path


@functools.cache
def arx_table(dataset: str) -> pd.DataFrame:
    name = "data/adult/adult.csv" if dataset.startswith("adult") else f"oracles/arx/synth/{dataset}.csv"
    return pd.read_csv(shared_file(name), sep=";")


@functools.cache
def arx_hierarchy(dataset: str, attribute: str):
    folder = "data/adult/adult_" if dataset.startswith("adult") else "oracles/arx/synth/"
    return read_hierarchy(shared_file(f"{folder}hierarchy_{attribute}.csv"))


@functools.cache
def arx_classes(dataset: str, quasi_identifiers: tuple[str, ...]):
    return form_equivalence_classes(arx_table(dataset), quasi_identifiers)


@functools.cache
def arx_lattice(dataset: str, quasi_identifiers: tuple[str, ...]) -> Lattice:
    classes = arx_classes(dataset, quasi_identifiers)
    attributes = [
        of_hierarchy(name, column, arx_hierarchy(dataset, name), Recoding("hierarchy", {"file": name}))
        for name, column in zip(quasi_identifiers, classes.columns, strict=True)
    ]
    return Lattice.of(classes, attributes)


def arx_requirements(models: str, dataset: str, quasi_identifiers: tuple[str, ...], limit: float) -> Requirements:
    """The requirements of ARX's ``k:5,recursive:dx:4:3`` and the like."""
    classes, k, criteria = arx_classes(dataset, quasi_identifiers), 1, []
    for text in models.split(","):
        kind, *figures = text.split(":")
        if kind == "k":
            k = int(figures[0])
            continue
        sensitive, *figures = figures
        parameters = {"c": float(figures[0])} if kind == "recursive" else {}
        if kind == "thier":
            parameters["hierarchy"] = arx_hierarchy(dataset, sensitive)
        table = count_sensitive_values(classes, arx_table(dataset)[sensitive]).table
        criteria.append(Criterion(ARX_MODELS[kind], sensitive, float(figures[-1]), table, parameters))
    return Requirements(k, tuple(criteria), limit)
