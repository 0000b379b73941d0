"""Colours of the page and of every figure, and the lines of the page's drawings, in light and in dark.

Letters and what matters differ from their ground by 4.5 to 1 and more (WCAG 2.2 AA), and no two kinds of marks by
colour alone: one is hatched by its edge, or of another shape.
"""

from __future__ import annotations

COLOURS: dict[str, tuple[str, str]] = {  # in light, in dark
    "ink": ("#1b1f24", "#e8ebee"),
    "soft": ("#57606a", "#a9b3bd"),
    "paper": ("#ffffff", "#14181c"),
    "panel": ("#f4f6f8", "#1e2429"),
    "edge": ("#c9d1d9", "#3d464e"),
    "blue": ("#0a5ea8", "#7cc0f5"),
    "orange": ("#b34700", "#ffac6b"),
    "green": ("#1a6b3c", "#79d29b"),
    "red": ("#a1161f", "#ff9a9a"),
}

# The look of a class of shapes; names of ``COLOURS`` are replaced by colours. A later one overrides an earlier one.
RULES: dict[str, dict[str, str]] = {
    "text": {"fill": "ink", "font": "14px system-ui, sans-serif", "pointer-events": "none"},
    ".bar": {"fill": "blue"},
    ".marked": {"fill": "orange", "stroke": "ink", "stroke-width": "1", "stroke-dasharray": "3 2"},
    ".axis": {"stroke": "edge"},
    ".grid": {"stroke": "edge"},
    ".threshold": {"stroke": "red", "stroke-width": "2", "stroke-dasharray": "6 4"},
    ".interval": {"stroke": "blue", "stroke-width": "2"},
    ".dot": {"fill": "orange"},
    ".line": {"fill": "none", "stroke": "blue", "stroke-width": "2"},
    ".point": {"fill": "blue", "fill-opacity": ".45"},
    ".diamond": {"fill": "paper", "stroke": "ink"},
}


def page_style() -> str:
    """For a page: the colours as variables, light and dark, and the rules for drawings in them."""
    variables = ["; ".join(f"--{name}: {pair[i]}" for name, pair in COLOURS.items()) for i in (0, 1)]
    root = f":root {{ color-scheme: light dark; {variables[0]}; }}"
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {variables[1]}; }} }}"
    looks = {
        kind: "; ".join(f"{key}: {f'var(--{value})' if value in COLOURS else value}" for key, value in rule.items())
        for kind, rule in RULES.items()
    }
    return "\n".join([root, dark, *(f"svg {kind} {{ {look}; }}" for kind, look in looks.items())])
