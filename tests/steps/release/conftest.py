"""SDTM_DEMO released once for all tests of the step: its package as a recipient has it, beside what it came from."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from config import RESULTS_FOLDER, load_pilot_config, read_settings
from config.model_settings import validate_config
from disclosure_control.assess.assessment import assess
from disclosure_control.assess.combined_dataset import CombinedDataset
from disclosure_control.basics.encoding.columns import numbers_of
from disclosure_control.remedy.treatments.keys import Release
from disclosure_control.remedy.treatments.treat import treat
from disclosure_control.steps import READERS
from disclosure_control.steps.release.step import run_step
from disclosure_control.steps.running import StepInput, StepResult
from study.formats.files import find_domain_files, read_domain_file
from study.merge.combine import combine_domains
from study.merge.settings import MergeSettings
from study.merge.subject_ids import SubjectIdRule
from tests.places import PROJECT

KEY = "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718"
FOLDER = PROJECT / "pilot_report" / "SDTM_DEMO"
STARTED = "2026-01-31T23:59:59.999999Z"
TREATMENT = [{"method": "band", "column": "DM__AGE", "width": 20}, {"method": "suppress_records", "models": ["k"]}]


@dataclass(frozen=True)
class Package:
    """What left: the files, the data sets read again, and the study that they came from."""

    files: dict[str, bytes]
    opened: dict[str, pd.DataFrame]
    source: dict[str, pd.DataFrame]
    result: StepResult
    kept: list[str]
    folder: Path

    @property
    def text(self) -> str:
        return "\n".join(frame.to_csv() for frame in self.opened.values())


def step_on(
    folder: Path,
    results: Path,
    literal: dict,
    steps: list[dict] | None,
    merge: MergeSettings = MergeSettings(),  # noqa: B008
) -> tuple[StepInput, list[str]]:
    """The input of the step for a pilot's folder, merged and treated here, without the doors."""
    subject = SubjectIdRule(**literal.get("subject_id", {}))
    frame = combine_domains(folder, subject, merge).frame
    config = validate_config(literal, list(frame.columns), READERS)
    names = config.quasi_identifiers + config.sensitive_features
    typed = {n: frame[n] if n in config.categorical_qis else pd.Series(numbers_of(frame[n]), name=n) for n in names}
    dataset = CombinedDataset.of(pd.DataFrame(typed), frame["USUBJID"], sha256="0" * 64, text=frame)
    earlier, kept = {}, list(frame["USUBJID"])
    if steps is not None:
        treated = treat(dataset.everybody.typed_table, config, steps, release=Release("DEMO", "2026"))
        earlier["treatment"] = StepResult({}, outcome=treated)
        kept = list(frame["USUBJID"].iloc[treated.kept])
    (results / RESULTS_FOLDER).mkdir(exist_ok=True)
    assessment = assess(dataset.everybody.frame, config)
    given = StepInput("DEMO", results, config.settings["release"], dataset, assessment, earlier, started=STARTED)
    return given, kept


def package(source: Path, given: StepInput, kept: list[str], to: Path) -> Package:
    """Run the step, write its files to a folder, and open them as a recipient would."""
    result = run_step(dataclasses.replace(given, folder=folder_with_files(source, to / "links")))
    out = to / "out"
    out.mkdir()
    files = {name.removeprefix("released/"): content for name, content in result.files.items()}
    for name, content in files.items():
        (out / name).write_bytes(content)
    opened = {name: read_domain_file(path).frame for name, path in find_domain_files(out).by_domain.items()}
    origin = {name: read_domain_file(path).frame for name, path in find_domain_files(source).by_domain.items()}
    return Package(files, opened, origin, result, kept, out)


def folder_with_files(source: Path, folder: Path) -> Path:
    """A pilot's folder with the files of another one, and room for results."""
    (folder / RESULTS_FOLDER).mkdir(parents=True)
    for path in source.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def demo_config(release: dict | None = None) -> dict:
    """The shipped config of SDTM_DEMO, with a release."""
    return shipped_config("SDTM_DEMO", release)


def shipped_config(pilot: str, release: dict | None = None) -> dict:
    literal = load_pilot_config(
        dataclasses.replace(read_settings({}, PROJECT), config_folder=PROJECT / "config"), pilot
    )
    return {**literal, "release": {"key_from": {"environment": "RELEASE_TEST_KEY"}, **(release or {})}}


def make_demo(to: Path, release: dict | None = None) -> Package:
    given, kept = step_on(FOLDER, to, demo_config(release), TREATMENT)
    return package(FOLDER, given, kept, to)


@pytest.fixture(scope="session")
def demo(tmp_path_factory) -> Package:
    return with_key(make_demo, tmp_path_factory.mktemp("demo"))


def with_key(make: Callable[[Path], Package], to: Path) -> Package:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RELEASE_TEST_KEY", KEY)
        return make(to)


def make_small(to: Path, release: dict | None = None) -> Package:
    """Forty people with visits, a drug that nobody ends, and a qualifier that nobody knows."""
    rng, source, ids = np.random.default_rng(5), to / "source", [f"S-{701 + i % 4}-{1000 + 7 * i}" for i in range(40)]
    day = np.datetime64("2013-03-01") + rng.integers(0, 600, 40)
    own = pd.DataFrame({"STUDYID": "S", "USUBJID": ids})
    dm = own.assign(
        DOMAIN="DM", SUBJID=own["USUBJID"].str[-4:], SEX=["F", "M"] * 20, AGE=[85, *rng.integers(40, 80, 39)]
    )
    visits = [own.assign(DOMAIN="SV", VISITNUM=n, SVSTDTC=np.datetime_as_string(day + 28 * n)) for n in (1, 2)]
    files = {"dm": dm.assign(AGEU="YEARS", COUNTRY="DEU", RFSTDTC=np.datetime_as_string(day)), "sv": pd.concat(visits)}
    files["cm"] = own.assign(DOMAIN="CM", CMSEQ=1, CMDECOD="ASPIRIN", CMENDTC=None)
    files["suppdm"] = own.assign(RDOMAIN="DM", IDVAR="", IDVARVAL="", QNAM=["ITT", "NICKNAME"] * 20, QVAL="Y")
    files["relrec"] = own.assign(RDOMAIN="CM", IDVAR="CMSEQ", IDVARVAL="1", RELID="A")
    source.mkdir()
    for name, frame in files.items():
        frame.to_csv(source / f"{name}.csv", index=False)
    literal = {"categorical_qis": ["DM__SEX"], "continuous_qis": ["DM__AGE"], "binning_config": {}, "K": 3}
    literal |= {"sensitive_feature": [], "sensitive_binning_config_for_L": {}}
    settings = {"key_from": {"environment": "RELEASE_TEST_KEY"}, **(release or {})}
    given, kept = step_on(source, to, literal | {"release": settings}, TREATMENT)
    return package(source, given, kept, to)


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Package:
    return with_key(make_small, tmp_path_factory.mktemp("small"))


@pytest.fixture
def release_key(monkeypatch) -> None:
    monkeypatch.setenv("RELEASE_TEST_KEY", KEY)


def codebook_of(made: Package) -> list[dict]:
    return json.loads(made.files["codebook.json"])["variables"]
