"""How figures, lists and faults are written: a share that rounds to nobody, or to everybody, does not say so."""

from disclosure_control.basics.settings.changes import ConfigChange
from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.faults import (
    LONGEST_BEGINNING,
    LONGEST_END,
    ColumnNames,
    FaultyInputError,
    nearest_name,
)
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import (
    EXACT,
    MASKED,
    MASKED_CELL,
    NOT_SHOWN,
    NoteForReaders,
    count_text,
    notes_told,
    people_told,
    some_of_people,
    things_told,
)
from disclosure_control.basics.telling.words import (
    capitalised,
    counted,
    few_or_number,
    four_digits,
    in_one_line,
    in_short,
    interval_text,
    listed,
    many_text,
    people_text,
    share_of_text,
    share_text,
    with_controls_escaped,
    without_controls,
)
from tests.cases import each


@each(
    "write, given, written",
    [
        (share_text, (None,), "-"),
        (share_text, (0.0,), "0.0%"),
        (share_text, (1.0,), "100.0%"),
        (share_text, (0.096,), "9.6%"),
        (share_text, (87 / 1_000_000,), "<0.1%"),  # not nobody
        (share_text, (999_999 / 1_000_000,), ">99.9%"),  # not everybody
        (share_text, (0.0006,), "0.1%"),
        (share_text, (0.9994,), "99.9%"),
        (share_of_text, (1, 4), "25.0%"),
        (share_of_text, (0, 0), "-"),
        (interval_text, (0.0, 0.0004), "0.0% to <0.1%"),
        (many_text, (1_392,), "1,392"),
        (many_text, (10**15 - 1,), "999,999,999,999,999"),
        (many_text, (10**15,), "about 1.00e15"),
        (many_text, (2**199,), "about 8.03e59"),  # recodings of sixty digits, and more than a float can be
        (many_text, (10**400,), "about 1.00e400"),
        (four_digits, (-0.00001,), "0.0000"),
        (four_digits, (-0.00006,), "-0.0001"),
        (four_digits, (0.5,), "0.5000"),
        (people_text, (1,), "1 person"),
        (people_text, (1000, ","), "1,000 people"),
        (counted, (1, "row"), "1 row"),
        (counted, (2000, "row"), "2,000 rows"),
        (few_or_number, (0,), "0"),
        (few_or_number, (9,), "fewer than 10"),
        (few_or_number, (1000, ","), "1,000"),
        (listed, ("abc", 3), "a, b, c"),
        (listed, ("abcd", 2), "a, b and 2 more"),
        (capitalised, ("aB",), "AB"),
        (in_one_line, (" a \n\tb ",), "a b"),
        (in_one_line, (" a  b ",), " a  b "),
        (without_controls, ("a\x1b[1m\r\nb",), "a?[1m\nb"),
        (with_controls_escaped, ("\u009b",), "\\u009b"),
        (in_short, ("Three short words.", 3), "Three short words."),
        (in_short, ("Three short words: and more", 3), "Three short words."),
        (in_short, ("Three words (and more) here", 3), "Three words here."),
        (in_short, ("One two three four five", 3), "One two ..."),
        (count_text, (None,), MASKED_CELL),
        (count_text, (1000, ","), "1,000"),
        (things_told, (None, "row"), "some rows"),
        (things_told, (1, "row"), "1 row"),
        (people_told, (None,), f"{NOT_SHOWN} of people"),
        (people_told, (1,), "1 person"),
        (some_of_people, (MASKED, 20, 1000), "20 of 1,000 people"),
        (some_of_people, (MASKED, 9, 100), "a few of 100 people"),
        (some_of_people, (MASKED, 91, 100), "nearly all of 100 people"),
        (some_of_people, (MASKED, 0, 100), "a few of 100 people"),
        (nearest_name, ("agee", ["AGE", "SEX"]), "; did you mean 'AGE'?"),
        (nearest_name, ("zzz", ["AGE", "SEX"]), ""),
        (nearest_name, ("agee", ColumnNames(["AGE"], {"agee": "it stays here"}.get)), "; it stays here"),
        (nearest_name, ("aged", ColumnNames(["AGE"], {"agee": "it stays here"}.get)), "; did you mean 'AGE'?"),
    ],
)
def test_words(write, given, written):
    assert write(*given) == written


def test_a_fault_that_shows_a_huge_setting_loses_its_middle():
    n = LONGEST_BEGINNING + LONGEST_END
    assert FaultyInputError("a" * n).faults == ("a" * n,)
    (shortened,) = FaultyInputError(["b" * LONGEST_BEGINNING + "x" * 1234 + "e" * LONGEST_END]).faults
    assert shortened == "b" * LONGEST_BEGINNING + " [... 1,234 more characters ...] " + "e" * LONGEST_END


def test_intervals_of_shares_are_those_of_wilson():
    """Newcombe 1998, doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E, table I, method 3."""
    published = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0, 0.1611)}
    published |= {(1, 29): (0.0061, 0.1718)}
    found = {of: tuple(round(end, 4) for end in wilson_interval(*of)) for of in published}
    assert found == published
    assert wilson_interval(20, 20)[1] == 1.0


def test_what_a_reason_says_to_do_next():
    changed = Reason(Gravity.NOT_DECIDED, "s", "or ask", (ConfigChange.to(["merge", "x"], 1),))
    assert (changed.next, changed.otherwise) == ("ask", "ask")
    with_lines = changed.with_lines({})
    assert with_lines.next == '"merge": {"x": 1}, then run Create_Combined_Pilot_Dataset.py again, or ask'
    assert Reason(Gravity.NOT_DECIDED, "s", "", (ConfigChange.to(["K"], 1),)).with_lines({}).next == '"K": 1'
    notes = ["a", NoteForReaders.of("{} people".format, 3, "some")]
    assert [notes_told(EXACT, notes), notes_told(MASKED, notes)] == [["a", "3 people"], ["a", "some people"]]
