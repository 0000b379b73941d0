"""Changes written into the text of a config: today's lines and comments stay, each new line has its reason above it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence

from config import REVIEW
from disclosure_control.basics.settings.changes import STEPS, TREATMENT, ConfigChange, python_text
from disclosure_control.draft.literal import INDENT, comment_lines

PROPOSED = "proposed:"  # begins the comment of each line that was not there, or that a draft left open


def with_changes(text: str, changes: Iterable[ConfigChange]) -> str:
    """The text of a config with the changes written into it, one after the other; it reads as they come to.

    ``text`` is a config that can be read: one assignment of a literal.
    """
    for change in changes:
        text = _with_change(text, change)
    return text


def with_choices(text: str, choices: Iterable[ConfigChange]) -> str:
    """The text with each choice as a comment at its place, marked for review; none for what the config decides, or the
    text proposes already.
    """
    for choice in choices:
        entry = f"{_entry(choice, choice.path[-1:])},"
        if f"# {entry}" in text:
            continue
        before = text.splitlines()
        lines = _with_change(text, choice).splitlines(keepends=True)
        if len(lines) <= len(before) or not any(line.strip() == entry for line in lines):
            continue
        place = max(number for number, line in enumerate(lines) if line.strip() == entry)
        lines[place] = lines[place].replace(entry, f"# {entry}", 1)
        text = "".join(lines).replace(f"# {PROPOSED} {choice.why[:20]}", f"# {REVIEW} {choice.why[:20]}", 1)
    return text


def with_marks_decided(text: str) -> tuple[str, list[str]]:
    """The text with each mark of a draft replaced by that of a proposal, and the words that stood beside the marks."""
    lines, words = text.splitlines(keepends=True), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.string.startswith(f"# {REVIEW}"):
            (row, column), line = token.start, lines[token.start[0] - 1]
            lines[row - 1] = line[:column] + line[column:].replace(f"# {REVIEW}", f"# {PROPOSED}", 1)
            words.append(token.string.removeprefix(f"# {REVIEW}").strip())
    return "".join(lines), words


def _with_change(text: str, change: ConfigChange) -> str:
    place: ast.expr = _config_of(text)
    for depth, key in enumerate(change.path):
        is_list_of_steps = change.path[0] == TREATMENT and depth == 1 and isinstance(place, ast.List)
        if is_list_of_steps and key == STEPS:
            break
        if is_list_of_steps:
            text = _replaced(text, place, f"{{{python_text(STEPS)}: {ast.get_source_segment(text, place)}}}")
            return _with_change(text, change)
        is_empty_treatment = change.path[:2] == (TREATMENT, STEPS) and depth == 1 and not getattr(place, "keys", True)
        if is_empty_treatment:  # a list of steps needs no name
            return _with_change(_replaced(text, place, "[]"), change)
        if not isinstance(place, ast.Dict):
            return _with_change(_replaced(text, place, "{}"), change)
        value = _value_of(place, key)
        if value is None:
            return _inserted(text, place, _entry(change, change.path[depth:]), change.why, is_first=False)
        place = value
    if change.is_added and isinstance(place, ast.List | ast.Tuple):
        if any(ast.literal_eval(one) == change.value for one in place.elts):
            return text
        return _inserted(text, place, change.text, change.why, is_first=True)
    if ast.literal_eval(place) == change.value:
        return text
    indent = _indent_at(text, _span(text, place)[0])
    steps = change.value if change.path[:1] == (TREATMENT,) and isinstance(change.value, list) else []
    lines = "".join(f"\n{indent}{INDENT}{python_text(step)}," for step in steps)
    return _replaced(text, place, f"[{lines}\n{indent}]" if steps else _at_end(change), change.why)


def _config_of(text: str) -> ast.Dict:
    statement = ast.parse(text).body[-1]
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Dict)
    return statement.value


def _value_of(place: ast.Dict, key: str) -> ast.expr | None:
    pairs = zip(place.keys, place.values, strict=True)
    return next((value for one, value in pairs if isinstance(one, ast.Constant) and one.value == key), None)


def _at_end(change: ConfigChange) -> str:
    return f"[{change.text}]" if change.is_added else change.text


def _entry(change: ConfigChange, keys: Sequence[str]) -> str:
    """The change as an entry of a dictionary, below the ``keys`` that are not there yet."""
    first, *further = keys
    if first == TREATMENT and further == [STEPS]:  # a list of steps needs no name
        further = []
    value = _at_end(change)
    for key in reversed(further):
        value = f"{{{python_text(key)}: {value}}}"
    return f"{python_text(first)}: {value}"


# ---------------------------------------------------------------- places of a text


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """Where the source of a node begins and ends, in characters."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def place(row: int, byte: int) -> int:
        return starts[row - 1] + len(lines[row - 1].encode()[:byte].decode())

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)


def _replaced(text: str, node: ast.expr, code: str, why: str = "") -> str:
    """The source of a node replaced; the reason above its line, if nothing else begins on that line."""
    start, end = _span(text, node)
    line = text.rfind("\n", 0, start) + 1
    begins_with_key = re.fullmatch(r"""\s*(?:r?["'][^\n]*["']\s*:)?\s*""", text[line:start]) is not None
    comment = _comment(why, _indent_at(text, start)) if why and begins_with_key else ""
    return text[:line] + comment + text[line:start] + code + text[end:]


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _inserted(text: str, container: ast.expr, code: str, why: str, *, is_first: bool) -> str:
    """A further entry of a dictionary or list: a line of its own, with its reason above it."""
    start, end = _span(text, container)
    entries = list(_entries(text, container))
    outer = _indent_at(text, start)
    inner = outer + INDENT
    new = f"{_comment(why, inner)}{inner}{code},\n"
    last_line = text.rfind("\n", 0, end - 1) + 1
    if "\n" in text[start:end] and not text[last_line : end - 1].strip():
        if is_first or not entries:
            first_line = text.find("\n", start) + 1
            is_clean = not text[start + 1 : first_line].partition("#")[0].strip()
            if is_clean:
                return text[:first_line] + new + text[first_line:]
        else:
            last = entries[-1][1]
            between = text[last : end - 1]
            comma = "" if "," in re.sub(r"#[^\n]*", "", between) else ","
            return text[:last] + comma + text[last:last_line] + new + text[last_line:]
    old = [f"{inner}{text[first:last]},\n" for first, last in entries]
    body = "".join([new, *old] if is_first else [*old, new])
    return f"{text[: start + 1]}\n{body}{outer}{text[end - 1 :]}"


def _entries(text: str, container: ast.expr) -> Iterator[tuple[int, int]]:
    if isinstance(container, ast.Dict):
        for key, value in zip(container.keys, container.values, strict=True):
            assert key is not None
            yield _span(text, key)[0], _span(text, value)[1]
    elif isinstance(container, ast.List | ast.Tuple):
        yield from (_span(text, one) for one in container.elts)


def _comment(why: str, indent: str) -> str:
    return "".join(f"{line}\n" for line in comment_lines(f"{PROPOSED} {why}", indent)) if why else ""
