"""Every figure of ``explore``."""

from __future__ import annotations

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings import figure_files
from disclosure_control.steps.explore.exploration import Exploration
from disclosure_control.steps.explore.figures_of_columns import MOST_BARS, bars, box, histogram, pages
from disclosure_control.steps.explore.figures_of_pairs import boxes_by_group, correlation_map, mosaic, pair_plot
from disclosure_control.steps.explore.figures_of_risk import class_sizes, individual_risk

FEWEST_FOR_A_BOX = 6  # distinct numbers: with fewer of them a bar for each says more than a histogram or a box


def draw_exploration(found: Exploration, assessment: Assessment) -> dict[str, bytes]:
    """Every figure by file name, in the forms of the settings; what is left out for space is in ``found.notes``."""
    files: dict[str, bytes] = {}
    formats = found.settings.figures
    varying = [column for column in found.numbers if column.n_distinct >= FEWEST_FOR_A_BOX]
    few = [column for column in found.categories if not (column.kind == "number" and column.n_distinct > MOST_BARS)]
    files |= pages("explore_histograms", varying, histogram, found)
    files |= pages("explore_boxes", varying, box, found)
    files |= pages("explore_bars", few, bars, found)
    files |= boxes_by_group(found, varying)
    files |= mosaic(found)
    files |= pair_plot(found, varying)
    if any(one.rho is not None for one in found.correlations):
        files |= correlation_map(found)
    files |= figure_files("explore_class_sizes", lambda figure: class_sizes(figure, assessment), 8, 4.5, formats)
    files |= figure_files(
        "explore_individual_risk", lambda figure: individual_risk(figure, assessment), 8, 4.5, formats
    )
    return files
