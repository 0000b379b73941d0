"""Colours and lines of every drawing, in light and in dark: the page, the SVG files and what is printed of them.

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
N_SHADES = 5  # from few to many; the faintest is still visible on the paper
FONT = "system-ui, sans-serif"

# The look of a class of shapes; names of ``COLOURS`` are replaced by colours. A later one overrides an earlier one.
RULES: dict[str, dict[str, str]] = {
    "text": {"fill": "ink", "font": f"14px {FONT}"},
    ".small": {"font": f"12.5px {FONT}"},
    ".head": {"font": f"600 15px {FONT}"},
    ".note": {"fill": "soft"},
    ".paper": {"fill": "paper"},
    ".bar": {"fill": "blue"},
    ".marked": {"fill": "orange", "stroke": "ink", "stroke-width": "1", "stroke-dasharray": "3 2"},
    ".axis": {"stroke": "edge"},
    ".grid": {"stroke": "edge"},
    ".threshold": {"stroke": "red", "stroke-width": "2", "stroke-dasharray": "6 4"},
    ".interval": {"stroke": "blue", "stroke-width": "2"},
    ".dot": {"fill": "orange"},
    ".line": {"fill": "none", "stroke": "blue", "stroke-width": "2"},
    ".point": {"fill": "blue", "fill-opacity": ".45"},
    ".diamond": {"fill": "orange", "stroke": "ink"},
    ".ring": {"fill": "none", "stroke": "ink", "stroke-width": "2"},
    ".leader": {"stroke": "soft"},
    ".box": {"fill": "blue", "fill-opacity": ".3", "stroke": "ink"},
    ".median": {"stroke": "ink", "stroke-width": "3"},
    ".whisker": {"stroke": "ink"},
    **{
        f".shade{shade}": {"fill": "blue", "fill-opacity": f"{(shade + 1) / N_SHADES:.2g}"} for shade in range(N_SHADES)
    },
    **{
        f".part{part}": {"fill": "blue", "fill-opacity": f"{0.05 + 0.12 * part:.2g}", "stroke": "ink"}
        for part in range(4)
    },
}


def page_style() -> str:
    """For a page: the colours as variables, light and dark, and the rules for drawings in them."""
    variables = ["; ".join(f"--{name}: {pair[i]}" for name, pair in COLOURS.items()) for i in (0, 1)]
    root = f":root {{ color-scheme: light dark; {variables[0]}; }}"
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {variables[1]}; }} }}"
    return "\n".join([root, dark, *_rules({name: f"var(--{name})" for name in COLOURS}, "svg ")])


def file_style() -> str:
    """For a file of its own: colours written out, as many programs that show SVG know no variables."""
    light, dark = ({name: pair[i] for name, pair in COLOURS.items()} for i in (0, 1))
    shown = "svg { width: 100%; max-width: 40rem; height: auto; }"  # a browser's; others take the size of the drawing
    grounds = f"svg {{ background: {light['paper']}; }}", f"svg {{ background: {dark['paper']}; }}"
    in_dark = "\n".join([grounds[1], *_rules(dark, "")])
    return "\n".join([shown, grounds[0], *_rules(light, ""), f"@media (prefers-color-scheme: dark) {{\n{in_dark}\n}}"])


def _rules(colours: dict[str, str], before: str) -> list[str]:
    return [
        f"{before}{kind} {{ {'; '.join(f'{key}: {colours.get(value, value)}' for key, value in rule.items())}; }}"
        for kind, rule in RULES.items()
    ]
