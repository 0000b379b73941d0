"""Which encoding a text is in."""

import pytest

from disclosure_control.basics.files import SourceFile
from disclosure_control.basics.telling.faults import FaultyInputError
from study.formats.encodings import chosen_encoding, notes_on_twice, read_text
from tests.cases import each

GREEK = "ΦΥΛΟ;ΠΟΛΗ\nΆνδρας;Αθήνα\nΓυναίκα;Ηράκλειο\n37 °C;µg\n"
POLISH = "Imię;Płeć;Miasto\nJózef;mężczyzna;Łódź\nZofia;kobieta;Wrocław\n"
CZECH = "Jméno;Pohlaví;Obec\nJiří;muž;Plzeň\nBožena;žena;Třebíč\n"
RUSSIAN = "Имя;Пол;Город\nИван;мужской;Казань\nАнна;женский;Тверь\n"
TURKISH = "Ad;Cinsiyet;Şehir\nAyşe;kadın;İstanbul\nOğuz;erkek;Muğla\n"
LITHUANIAN = "Vardas;Lytis;Amžius\nJonas;vyras;trisdešimt\nGražina;moteris;šešiasdešimt\n"
WESTERN = "Name;Stadt\nMüller;Köln\nGrößer;Zürich\nFrançois;Nîmes\n"


def text_of(folder, data: bytes, declared: str | None = None) -> tuple[str, list[str]]:
    text, notes = read_text(SourceFile(folder / "vs.csv", data), declared)
    return text.to_pybytes().decode(), notes


def fault_of(folder, data: bytes, declared: str | None = None) -> str:
    with pytest.raises(FaultyInputError) as caught:
        text_of(folder, data, declared)
    assert caught.value.__cause__ is None
    (fault,) = caught.value.faults
    return fault


@each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@each("text", [GREEK, WESTERN, "A\n1\n"])
def test_unicode_needs_no_guess(tmp_path, encoding, text):
    assert text_of(tmp_path, text.encode(encoding)) == (text, [])


def test_utf16_big_endian_with_mark(tmp_path):
    assert text_of(tmp_path, b"\xfe\xff" + GREEK.encode("utf-16-be")) == (GREEK, [])


@each(
    ("text", "encoding"),
    [
        (GREEK, "cp1253"),
        (WESTERN, "cp1252"),
        (POLISH, "cp1250"),
        (POLISH, "iso-8859-2"),
        (CZECH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (TURKISH, "cp1254"),
        (LITHUANIAN, "cp1257"),
    ],
)
def test_windows_encodings_are_guessed_and_said(tmp_path, text, encoding):
    assert text_of(tmp_path, text.encode(encoding)) == (text, [f"not UTF-8: read as {encoding} (guessed)"])


@each(
    "text",
    [
        "T\n37 °C\n5 µg\n",
        "N\nJosé\n",
        "N;x\n± 3;½\n",
        "kg/m²;cm³\n22;5\n",
        "Größe;x\n180;1\n",
        "Straße\nx\n",
        "price\n5 €\n",
    ],
)
def test_lone_signs_are_western(tmp_path, text):
    assert text_of(tmp_path, text.encode("cp1252"))[0] == text


def test_one_word_that_may_be_of_two_pages_is_a_fault_with_both_readings(tmp_path):
    fault = fault_of(tmp_path, "id;Płeć\n1;m\n".encode("cp1250"))
    assert "cp1250 fits best, by which a heading is 'Płeć' and not 'P³eæ'" in fault
    assert 'merge: {"files": {"VS": {"encoding": "cp1250"}}}' in fault
    assert "omskiego" not in fault_of(tmp_path, "id;x\n1;Żeromskiego\n".encode("cp1250"))  # of a value neither


@each("encoding", ["cp1253", "iso-8859-7", "utf-8", "utf-16", "utf-16-le", "cp737"])
def test_declared_encoding_is_not_noted(tmp_path, encoding):
    text = GREEK.replace("µ", "u").replace("°", "")
    assert text_of(tmp_path, text.encode(encoding), encoding) == (text, [])


def test_declared_encoding_wins_over_a_guess(tmp_path):
    data = GREEK.encode("cp1253")
    assert text_of(tmp_path, data, "cp1252")[0] == data.decode("cp1252")


def test_mixed_encodings_are_counted(tmp_path):
    data = "ΠΟΛΗ\nΑθήνα\nΠάτρα\n".encode() + "Βόλος\nX\n".encode("cp1253")
    fault = fault_of(tmp_path, data)
    assert "mixed encodings: 3 lines with characters in UTF-8 and 1 line that cannot be UTF-8" in fault
    assert 'merge: {"files": {"VS": {"encoding": "cp1253"}}}' in fault


def test_mixed_encodings_pass_where_one_is_declared(tmp_path):
    data = "α\n".encode() + "βγ\n".encode("cp1253")
    assert text_of(tmp_path, data, "cp1253")[0] == data.decode("cp1253")


def test_bytes_that_the_guess_does_not_know(tmp_path):
    fault = fault_of(tmp_path, "Köln".encode("cp1252") + b"\nX\x81Y\nX\x8dY\n")
    assert "2 lines with bytes that do not exist in the guessed encoding cp1252" in fault


def test_bytes_that_the_declared_encoding_does_not_know(tmp_path):
    fault = fault_of(tmp_path, "Αθήνα\nX\n".encode("cp1253"), "utf-8")
    assert "1 line with bytes that do not exist in the declared encoding utf-8" in fault
    assert "θ" not in fault


def test_nul_bytes_are_no_text(tmp_path):
    assert "this is not a text file (2 NUL bytes found)" in fault_of(tmp_path, b"A,B\n\0,\0\n")


def test_utf16_without_mark_is_no_text_until_declared(tmp_path):
    data = "A;B\n1;2\n".encode("utf-16-le")
    assert '{"encoding": "utf-16-le"}' in fault_of(tmp_path, data)
    assert text_of(tmp_path, data, "utf-16-le")[0] == "A;B\n1;2\n"


def test_utf16_that_is_cut_off(tmp_path):
    assert "not valid utf-16" in fault_of(tmp_path, "A;B\n1;2\n".encode("utf-16")[:-1])


def test_pieces_of_values(tmp_path):
    assert chosen_encoding([b"plain"], "value", tmp_path / "ts.xpt", None) == ("utf-8", [])
    assert chosen_encoding(["ά".encode()], "value", tmp_path / "ts.xpt", None) == ("utf-8", [])
    assert chosen_encoding([b"Alzheimer\x92s"], "value", tmp_path / "ts.xpt", None)[0] == "cp1252"


@each(
    ("text", "encoding"),
    [
        ("sex;town\nmännlich;Köln\nweiblich;Düsseldorf\n", "cp850"),
        ("sexe;âge;ville\nfemme;3;Béziers\nhomme;4;Orléans\nfemme;5;Mâcon\n", "mac-roman"),
        (POLISH, "cp852"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp866"),
        (TURKISH, "cp857"),
        (GREEK.replace("µ", "u"), "cp737"),
    ],
)
def test_the_fault_names_the_page_of_an_old_system_whose_words_are_whole(tmp_path, text, encoding):
    assert f'"encoding": "{encoding}"' in fault_of(tmp_path, text.encode(encoding))


@each(
    "text",
    [
        *("a\nSmith†\n", "a;b\nCrohn’s;5 %\n", "anzahlÜbungen;x\n1;2\n", "a\nMme\xa0dupont\n", "a\ncol·legi\n"),
        *("id;WBC /µL;temp °C\n", "id;TSH µIU/mL\n", "dose\nkg×m²\nmg×2\n", "Nr§;Abs§5\n", "dx\nCrohn´s\n"),
    ],
)
def test_signs_that_stand_in_words_are_of_no_old_system(tmp_path, text):
    assert text_of(tmp_path, text.encode("cp1252"))[0] == text


def twice(text: str) -> bytes:
    """A text in UTF-8, every byte taken for a character of Latin 1."""
    return text.encode().decode("latin-1").encode()


@each("text", [POLISH, GREEK, RUSSIAN, WESTERN, "a;b\n1;37 °C\n", "a\nCrohn’s\n"])
def test_what_was_encoded_twice_is_read_once_and_said(tmp_path, text):
    read, [note] = text_of(tmp_path, twice(text))
    assert (read, note[:13]) == (text, "encoded twice")
    assert text_of(tmp_path, twice("\ufeff" + text))[0] == text
    assert text_of(tmp_path, twice(text), "utf-8") == (twice(text).decode(), [])


def test_a_text_of_which_some_was_encoded_twice_stays_and_is_said(tmp_path):
    data = twice("Größe\n") + "Köln\n".encode()
    assert text_of(tmp_path, data) == (data.decode(), [note := text_of(tmp_path, data)[1][0]])
    assert "of 2 different lines with foreign letters encoded twice in UTF-8, left unchanged" in note
    assert notes_on_twice(["Größe", twice("Größe").decode()])[0].startswith("fewer than 10 texts encoded twice")


@each("text", ["IRMÃ\n«IRMÃ»\n", "CAFÉ®\né\n", "Île\n", "Ã\n", "id;nome\n1;IRMÃ“ES\n"])
def test_letters_beside_signs_were_encoded_once(tmp_path, text):
    assert text_of(tmp_path, text.encode()) == (text, [])


def test_the_fault_of_a_declared_encoding_names_another_one_that_fits(tmp_path):
    lines = "männlich;Köln\n".encode() * 20
    assert "mixed encodings: 20 lines" in fault_of(tmp_path, lines + b"x;K\x81ln\n", "utf-8")
    assert '"encoding": "utf-8"' in fault_of(tmp_path, lines.replace(b"K", "Í".encode()), "cp1252")
    assert '"encoding": "cp1252"' not in fault_of(tmp_path, b"1\x81\x8d\n", "cp1252")
