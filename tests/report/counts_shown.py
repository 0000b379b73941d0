"""Every count of people or records from 1 to 9 in what may be handed on: in sentences, in tables and in JSON.

Numbers that count something else (columns, classes, bins, facts, rules) are passed over by what they count; those that
the policy publishes exactly, the totals of the whole pilot, by the words around them. Each entry has its reason.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

THINGS = (
    "people|persons?|patients?|subjects?|participants?|records?|rows?|values?|cells?|deaths?|dates?|times?|texts?|ids?"
    "|visits?|events?|cases|partial dates?|released values?"
)
FEW = r"(?<![\w.,:/<>=#-])(?<!k )(?<!level )[1-9](?![\w%]|[.,:/]\d|--| ?%)"
_KINDS = "(?: (?:of|different|distinct|such|other|more|partial|released))*"
COUNT = re.compile(rf"{FEW}(?: of [\d,]+)?{_KINDS} (?:{THINGS})\b")
PART = re.compile(rf"{FEW} of [\d,]+")

# Sentences whose small number is a total of the whole pilot, which is published exactly, or counts no people.
IN_SENTENCES = {
    r"classes of fewer than [1-9] people": "a threshold",
    r"(?:fewer|more) than [1-9] people": "a threshold",
    r"at most [1-9] people": "a threshold",
    r"at least [1-9] people": "a threshold",
    r"has [1-9] people": "the smallest k, a total of the pilot",
    r"Counts from 1 to 9": "the policy itself",
    r"distinct values": "values of a column, not people",
    r"rare values were joined": "values of a column, not people",
    r"[1-9] of [\d,]+ evaluated": "flagged by k, l or t: a total of the pilot",
    r"wildcard\)? [1-9] of|exclude\)? [1-9] of|category\)?(?: \(in use\))? [1-9] of": "a total of the pilot, by policy",
    r"For [1-9] (?:people|person) the class's values": "flagged by t: a total of the pilot",
    r"hold [1-9] people": "people below K: a total of the pilot",
    r"[Rr]ecords removed": "people before less people after: a total of the pilot",
    r"records are released|were removed\.": "the same",
    r"[1-9] of [\d,]+ records removed": "the same",
    r"people in the files, [1-9] people left out": "the same",
    r"not in the release: treated: [1-9]": "the same",
    r"Not (?:assessable|evaluated)": "total less evaluated: totals of the pilot",
    r"[1-9] of (?:the )?[\d,]+ (?:rules|tables|comparisons?|figures?|recodings|columns|points|keys?|files|pairs)":
        "no people",
    r"row of few people not shown|rows of few people not shown": "rows of a table of the study",
    r"At risk by|, (?:before|as released): [1-9] of": "flagged by k, l or t: a total of the pilot, before and after",
    r"an attacker who guesses|would be right about": "the number of classes",
    r"about [1-9] times": "the number of classes",
    r"(?:Singled out|Linked)\?": "alone, or found: totals of the pilot, before and after, as in the sentences",
    r"^  \S+: [1-9] records": "files of released/ in its README.txt: the recipient holds the rows",
    r"MINUTE|WEEK|DAY [1-9]": "the name of a value",
}  # fmt: skip
# Columns of tables whose numbers count people or records.
OF_PEOPLE = re.compile(
    r"people|records|^rows|subjects|changed|emptied|values|missing|^before$|^after$|found|hit|risky|"
    r"^n$|removed|collapsed|not done|without|outliers|alone|certain|dates",
    re.IGNORECASE,
)
IN_TABLES = {
    r"^(?:Pilot|Model|Policy|Figure|By group|Measure)\b": "totals of the pilot: flagged, evaluated, not evaluated",
    r"^Facts": "rates, and numbers of facts",
    r"^Missing values|policy": "totals of the pilot",
    r"^Method \| Column": "what one step removed, where no other step did: a total of the pilot",
    r"^Column \| (?:Bins|Role)": "of the sensitive feature: not evaluated by t, a total; the solvers ask the others",
    r"^Risk \|": "totals of the pilot",
    r"^Treatment": "records that all steps removed: a total of the tried pilot",
    r"^Table \|": "cells and comparisons of the study's tables",
    r"^Quasi-identifier|^Sensitive": "numbers of labels",
    r"^Threshold|^Question|^Rule": "no counts of people",
}
# Places in the JSON whose whole numbers from 1 to 9 count no people, or are totals of the whole pilot.
IN_JSON = {
    r"threshold$|minimum$|smallest_k$|\.worst$|fewer_than$|at_most$|param_value$|schema$|\.facts$|edges|levels|at_least$":
        "thresholds, smallest k, parameters and levels",
    r"columns(_of_source)?$|columns_looked_at|\.counted$|\.sets$|with_somebody_alone$|pairs(_looked_at)?$|distinct$":
        "numbers of columns, of sets and pairs of columns, and of different values",
    r"classes$|\.listed$|determined_by_not_looked_at|landscape|checked$|lattice_size|not_met$|further_reasons$|seeds":
        "classes, columns, recodings, rules, reasons and seeds",
    r"study_tables\.": "cells and comparisons of the study's tables",
    r"^rules\.not_counted$": "rules that no figure of the run answers",
    r"^sweep\.K$": "a threshold",
    r"(risky|(not_)?evaluated|not_assessable|total|records_removed|people_left_out|above_t|unique|at_risk|not_considered)$":
        "totals of the whole pilot: people, evaluated, flagged by k, l and t, as it came in and as it leaves",
    r"explore\.columns\..*missing$": "of the sensitive feature: not evaluated by t, a total of the pilot",
    r"linkage_attack\..*(attacks|removed)$": "people of the register; people left out",
}  # fmt: skip


def _is_harmless(text: str, listed: Mapping[str, str]) -> bool:
    return any(re.search(words, text) for words in listed)


def small_in_sentences(text: str) -> Iterator[str]:
    """The sentences with a small count of people or records."""
    for line in text.splitlines():
        if line.startswith(("│", "|", "┌", "├", "└")):
            continue
        for found in (*COUNT.finditer(line), *PART.finditer(line)):
            around = line[max(0, found.start() - 60) : found.end() + 45]
            if not _is_harmless(around, IN_SENTENCES):
                yield around


def small_in_tables(tables: list[list[list[str]]]) -> Iterator[str]:
    """Rows of tables, each a list of rows with the headings first, with a small count of people or records."""
    cell = re.compile(r"[1-9]( of [\d,]+.*| \(.*\))?")
    for headings, *rows in tables:
        if _is_harmless(" | ".join(headings), IN_TABLES):
            continue
        for row in rows:
            for heading, text in zip(headings, row, strict=False):
                if OF_PEOPLE.search(heading) and cell.fullmatch(text.strip()):
                    yield f"{heading} in {' | '.join(headings)}: {' | '.join(row)}"


def small_in_json(value: Any, place: str = "") -> Iterator[str]:
    """The places of whole numbers from 1 to 9."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from small_in_json(one, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for one in value:
            yield from small_in_json(one, place)
    elif type(value) is int and 1 <= value <= 9 and not _is_harmless(place, IN_JSON):
        yield f"{place}: {value}"


def tables_of_text(text: str) -> list[list[list[str]]]:
    """The tables of a text, drawn with lines, or of Markdown."""
    found: list[list[list[str]]] = []
    is_open = False
    for line in text.splitlines():
        is_row = line.startswith(("│", "| "))
        if is_row:
            mark = line[0]
            row = [part.strip() for part in line.strip().strip(mark).split(mark)]
            found = found if is_open else [*found, []]
            found[-1].append(row)
        is_open = is_row or (is_open and line.startswith(("├", "|--", "|:-")))
    return [table for table in found if len(table) > 1]


def of_page(page: str) -> tuple[str, list[list[list[str]]]]:
    """The sentences of a page, those of its drawings, too, and its tables."""
    page = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    page = page.split('<section id="definitions"')[0]
    drawings = [html.unescape(one).replace("; ", "\n") for one in re.findall(r'aria-label="([^"]*)"', page)]
    tables = []
    for table in re.findall(r"<table.*?</table>", page, re.S):
        rows = [
            [_plain(one) for one in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
            for row in re.findall(r"<tr.*?</tr>", table, re.S)
        ]
        tables.append(rows)
    rest = re.sub(r"<table.*?</table>|<svg.*?</svg>|<pre.*?</pre>", "", page, flags=re.S)
    sentences = re.sub(r"</(?:p|li|h\d|dd|dt|figcaption|summary|div)>", "\n", rest)
    return "\n".join([_plain(sentences, keep_lines=True), *drawings]), [rows for rows in tables if len(rows) > 1]


def _plain(markup: str, keep_lines: bool = False) -> str:
    text = html.unescape(re.sub(r"<[^>]+>", "", markup))
    return text if keep_lines else " ".join(text.split())


def small_counts_in(name: str, text: str) -> list[str]:
    """What a file of that name tells of one to nine people or records."""
    if name.endswith(".html"):
        sentences, tables = of_page(text)
        return [*small_in_sentences(sentences), *small_in_tables(tables)]
    return [*small_in_sentences(text), *small_in_tables(tables_of_text(text))]
