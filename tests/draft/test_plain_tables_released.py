"""Plain tables through both doors on their draft, released: keys that join, one offset of each person, no text."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from config import parse_config
from disclosure_control.run.tables import csv_bytes
from tests.run.synthetic_pilot import DONE, SyntheticPilot
from tests.study.models.test_flat import N_PEOPLE, N_ROWS, german_visits, three_tables

KEY = "8f14e45fceea167a5a36dedd4bea2543a1b2c3d4e5f60718"


def released(tmp_path: Path, doors, monkeypatch, frames: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The released files by stem, of a pilot of these files that is drafted by the first door."""
    monkeypatch.setenv("PLAIN_KEY", KEY)
    pilot = SyntheticPilot(tmp_path, "PLAIN")
    pilot.create()
    pilot.config_file.unlink()
    pilot.remove("DM.csv", "VS.csv", "LB.csv", "SC.csv")
    for stem, frame in frames.items():
        pilot.write(f"{stem}.csv", csv_bytes(frame.astype("str")))
    assert doors.start(1).status == DONE
    drafted = parse_config(pilot.config_file.read_text(encoding="utf-8"), "PLAIN")
    drafted |= {"treatment": [{"method": "suppress_cells"}], "release": {"key_from": {"environment": "PLAIN_KEY"}}}
    drafted.pop("recommend")
    pilot.write_config(f"config = {drafted!r}")
    run = doors.start(2)
    assert run.status == DONE, run.err
    assert pilot.summary()["k_anonymity"]["total"] == N_PEOPLE
    folder = pilot.combined.parent / "released"
    return {path.stem: pd.read_csv(path, dtype="str") for path in folder.glob("*.csv") if path.stem != "codebook"}


def offsets(before: pd.DataFrame, after: pd.DataFrame, person: str, date: str, known_by: str) -> list[set]:
    """The days by which the rows of each person moved; they keep their order, and ``known_by`` shows whose they are."""
    before, after = (
        frame.astype({known_by: "str"}).assign(day=pd.to_datetime(frame[date])).sort_values(["day", known_by])
        for frame in (before, after)
    )
    people = {tuple(rows[known_by]): rows for _, rows in before.groupby(person)}
    found = []
    for _, rows in after.groupby(person):
        own = people.pop(tuple(rows[known_by]))
        found.append(set(rows["day"].to_numpy() - own["day"].to_numpy()))
    assert people == {}
    return found


@pytest.mark.thorough("6 s")
def test_visits_of_171_people_leave_with_one_offset_each(tmp_path, doors, monkeypatch):
    visits = german_visits()
    frames = released(tmp_path, doors, monkeypatch, {"besuche": visits})
    rows = frames["besuche"]
    assert (len(rows), rows["PatNr"].nunique(), rows["Fallnummer"].nunique()) == (N_ROWS, N_PEOPLE, N_ROWS)
    moved = offsets(visits, rows, "PatNr", "Besuchsdatum", "Gewicht")
    assert [len(days) for days in moved] == [1] * N_PEOPLE
    assert len(set.union(*moved)) > 1
    # The age that the draft makes of the date of birth leaves as released; the date does not.
    assert rows["age"].notna().any()
    # Neither what names a person, nor text, nor who treats: by heading or by values.
    assert not {"Geburtsdatum", "Station", "Kontakt", "Verlauf", "Bemerkung", "behandelt von"} & set(rows)
    assert not set(visits["PatNr"]) & set(rows["PatNr"])


@pytest.mark.thorough("8 s")
def test_files_with_persons_of_different_names_leave_with_keys_that_join(tmp_path, doors, monkeypatch):
    tables = {name.lower(): frame for name, frame in three_tables().items()}
    frames = released(tmp_path, doors, monkeypatch, tables)
    assert set(frames) == {"stammdaten", "faelle", "labor"}
    # One name and one pseudonym for a person in all files.
    people = set(frames["stammdaten"]["pid"])
    assert len(people) == N_PEOPLE
    assert all(set(frame["pid"]) == people for frame in frames.values())
    cases, results = frames["faelle"], frames["labor"]
    assert len(results) == 2 * N_ROWS
    joined = results.merge(cases, on=["pid", "Fallnummer"], how="left", validate="many_to_one", indicator=True)
    assert (joined["_merge"] == "both").all()
    assert (joined["Datum"] == joined["Besuchsdatum"]).all()  # moved alike in both files, as they were alike before
