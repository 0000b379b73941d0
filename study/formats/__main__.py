"""Put the formats that are registered into docs/config.md: python -m study.formats"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from study.formats.registry import registered_formats

PAGE = Path(__file__).parents[2] / "docs" / "config.md"


def with_formats(text: str) -> str:
    """Return the text of the page with its paragraph ``Files: ...`` made from the registered formats."""
    formats = ", ".join(one.documentation for one in registered_formats())
    sentence = f"Files: {formats}. Text formats may be packed by gzip (`.csv.gz`)."
    paragraph = textwrap.fill(sentence, width=120, break_long_words=False, break_on_hyphens=False)
    return re.sub(r"^Files: .+(\n.+)*", lambda _: paragraph, text, count=1, flags=re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(with_formats(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
