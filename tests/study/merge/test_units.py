"""A number and its unit are one value: ages of several units are made years, and what has no known unit is missing."""

from __future__ import annotations

from study.formats.files import read_domain_file
from study.merge.units import with_one_unit
from tests.cases import each


@each(
    "header, rows, values, units",
    [
        ("AGE,AGEU", ["18,YEARS", "18,MONTHS", "5,DAYS"], ["18", "1.5", "0.0137"], ["YEARS"] * 3),
        ("age,age_unit", ["18,Jahre", "18,Monate"], ["18", "1.5"], ["Jahre"] * 2),
        ("weight,weight_unit", ["70,kg", "150,lb"], ["70", "68.0389"], ["kg"] * 2),
        ("weight,weight_unit", ["70000,g", "150,lb"], ["70", "68.0389"], ["kg"] * 2),
        ("AGE,AGEU", ["18,MONTHS", "20,MONTHS"], ["18", "20"], ["MONTHS"] * 2),
        ("AGE,AGEU", ["18,YEARS", "20,furlongs"], ["18", None], ["YEARS"] * 2),
        (
            "AGE,AGEU",
            [*(f"{age},YEARS" for age in range(20, 30)), "180,MONTHS"],
            [*map(str, range(20, 30)), "15"],
            None,
        ),
        ("Alter,Einheit", ["18,Jahre", "18,Monate"], ["18", "1.5"], ["Jahre"] * 2),
        ("věk,jednotka", ["18,let", "18,měsíců"], ["18", "1.5"], ["let"] * 2),
        ("hemoglobin,hemoglobin_unit", ["14.1,g", "141,g/L"], ["14.1", "141"], ["g", "g/L"]),
        ("glucose,unit", ["5.5,mmol/L", "110,m"], ["5.5", "110"], ["mmol/L", "m"]),
        ("age,unit", ["40,M", "50,ICU"], ["40", "50"], ["M", "ICU"]),  # wards
        ("age,unit", ["40,A", "50,B"], ["40", "50"], ["A", "B"]),
        ("idade,unidade", ["20,anos", "20,meses"], ["20", "1.6667"], ["anos"] * 2),
        # Whatever the heading, by numbers that are no years; as many years and months are how often something is done.
        ("idade,zzz", [*["20,anos"] * 5, *["12,meses"] * 5], ["20"] * 5 + ["1"] * 5, ["anos"] * 10),
        ("zzz,alder", [*["år,18"] * 5, *["måneder,6"] * 5], ["år"] * 10, ["18"] * 5 + ["0.5"] * 5),
        ("age,exercise", ["30,year", "79,day"] * 5, ["30", "79"] * 5, ["year", "day"] * 5),
        ("age,exercise", ["30,year", "12,day"], ["30", "12"], ["year", "day"]),
        ("weight,dose_in", ["70,g", "2,kg"] * 5, ["70", "2"] * 5, ["g", "kg"] * 5),
        ("alder,zzz", ["40,uge", "50,dag"], ["40", "50"], ["uge", "dag"]),
        ("score,score_unit", ["18,points", "20,stars"], ["18", "20"], ["points", "stars"]),
    ],
)
def test_units_beside_a_number(tmp_path, header, rows, values, units):
    (tmp_path / "dm.csv").write_text("\n".join([header, *rows]) + "\n")
    frame = with_one_unit(read_domain_file(tmp_path / "dm.csv")).frame
    column, unit = (frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in header.split(","))
    assert (column, unit) == (values, units or ["YEARS"] * len(rows))


def test_a_unit_that_stands_behind_another_number_is_not_that_of_the_age(tmp_path):
    (tmp_path / "dm.csv").write_text("age,duration,unit\n18,2,years\n20,3,months\n")
    assert with_one_unit(read_domain_file(tmp_path / "dm.csv")).frame["age"].tolist() == ["18", "20"]


def test_what_may_be_the_unit_of_an_age_is_asked_about_only_beside_it(tmp_path):
    (tmp_path / "dm.csv").write_text("sex,age,frequency\n" + "m,30,day\nf,60,year\n" * 5)
    [note] = with_one_unit(read_domain_file(tmp_path / "dm.csv")).notes
    assert "if it is its unit, call it 'age_unit'" in note
    (tmp_path / "dm.csv").write_text("age,sex,frequency\n" + "5,m,day\n60,f,year\n" * 5)
    assert not with_one_unit(read_domain_file(tmp_path / "dm.csv")).notes


def test_results_in_several_units_are_reported(tmp_path):
    (tmp_path / "lb.csv").write_text("id,creatinine,unit\n1,77,umol/l\n2,0.8,mg/dl\n")
    [note] = with_one_unit(read_domain_file(tmp_path / "lb.csv")).notes
    assert "'creatinine' in several units ('unit'), left unchanged" in note
