"""What a step found, asked for in a test by the names that it has in the JSON summary."""

from __future__ import annotations

from typing import Any

from disclosure_control.basics.telling.plain import plain


class InSummary(dict):
    """The figures as the JSON summary holds them; ``found`` is what they were made of."""

    def __init__(self, found: Any):
        super().__init__(plain(found))
        self.found = found
