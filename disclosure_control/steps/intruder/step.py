"""The step ``intruder``: draws the cases from what leaves, and gives what came back beside what chance would name."""

from __future__ import annotations

import pandas as pd

from disclosure_control.assess.assessment import Assessment
from disclosure_control.basics.encoding.columns import SUBJECT_COLUMN
from disclosure_control.basics.telling.confidence_intervals import wilson_interval
from disclosure_control.basics.telling.reasons import Gravity, Reason
from disclosure_control.basics.telling.small_counts import HAND_TO_HAND
from disclosure_control.measures.reidentification import prosecutor_risk
from disclosure_control.steps.intruder.draw import HIGHEST, drawn_cases
from disclosure_control.steps.intruder.report import CasesDrawn, intruder_sections, protocol
from disclosure_control.steps.intruder.settings import IntruderSettings
from disclosure_control.steps.running import StepInput, StepResult

CASES, FORM, PROTOCOL = "intruder_cases.csv", "intruder_form.csv", "intruder_protocol.txt"
SOMEBODY_NAMED = Reason(
    Gravity.OUTSIDERS_CAN_SINGLE_OUT,
    "A motivated intruder named at least one of the drawn people rightly.",
    "treat what led to them, release again, and let somebody else try",
)
TO_FILL = ("named", "sources", "sure_in_percent", "minutes")  # columns of the form


def run_step(step: StepInput[IntruderSettings]) -> StepResult:
    """The cases and the form, restricted; the protocol, which names nobody; and the result, if the config has it."""
    outcome = step.earlier["release"].outcome if "release" in step.earlier else None
    if outcome is None:
        found = CasesDrawn("", 0, 0)
        return StepResult(found, sections=intruder_sections(found, step.settings))
    leaving: Assessment = outcome.assessment
    drawn = drawn_cases(outcome.people_alike, step.settings.cases, step.settings.seed)
    result = step.settings.result
    n_right = HAND_TO_HAND.told(result.right) if result and len(drawn) else None
    average = prosecutor_risk(leaving.classes, missing_qis=leaving.config.missing_qis).average
    found = CasesDrawn(
        about="released/",
        cases=len(drawn),
        with_fewest_alike=int((drawn["drawn"] == HIGHEST).sum()),
        somebody_named=result.right > 0 if result and len(drawn) else None,
        right_rate=None if n_right is None else n_right / len(drawn),
        right_between=None if n_right is None else wilson_interval(n_right, len(drawn)),
        average_risk=average,
    )
    form = pd.DataFrame({"case": drawn["case"], SUBJECT_COLUMN: drawn[SUBJECT_COLUMN], **dict.fromkeys(TO_FILL, "")})
    reasons = (SOMEBODY_NAMED,) if found.somebody_named else ()
    return StepResult(
        found,
        sections=intruder_sections(found, step.settings),
        tables={CASES: drawn, FORM: form},
        files={PROTOCOL: protocol(step.pilot, found, step.settings).encode("utf-8")},
        hand_to_hand=frozenset({PROTOCOL}),
        reasons_to_hold=reasons,
    )
