"""Every drawing of ``explore``."""

from __future__ import annotations

from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.analyses.explore.figures_of_columns import MOST_BARS, bars, box, figures_of, histogram
from disclosure_control.analyses.explore.figures_of_pairs import boxes_by_group, correlation_chart, mosaic, pair_plot
from disclosure_control.analyses.explore.figures_of_risk import EXPOSURE, SIZES, class_sizes, individual_risk
from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.drawings.files import figure_files

FEWEST_FOR_A_BOX = 6  # distinct numbers: below this a bar for each is clearer than a histogram or a box


def draw_exploration(found: Exploration, assessment: Assessment) -> dict[str, bytes]:
    """Every drawing by file name, in the forms of the settings; ``found.notes`` lists those omitted for space."""
    formats = found.settings.figures
    varying = [column for column in found.numbers if column.n_distinct >= FEWEST_FOR_A_BOX]
    few = [column for column in found.categories if not (column.kind == "number" and column.n_distinct > MOST_BARS)]
    return {
        **figures_of("explore_histograms", "Histograms: people per interval", varying, histogram, found),
        **figures_of("explore_boxes", "Boxes: median, quartiles, fences", varying, box, found),
        **figures_of("explore_bars", "Bars: people per value", few, bars, found),
        **boxes_by_group(found, varying),
        **mosaic(found),
        **pair_plot(found, varying),
        **correlation_chart(found),
        **figure_files("explore_class_sizes", SIZES, [class_sizes(assessment)], formats),
        **figure_files("explore_individual_risk", EXPOSURE, [individual_risk(assessment)], formats),
    }
