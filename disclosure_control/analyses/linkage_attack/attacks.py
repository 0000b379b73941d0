"""The kinds of attack other than linkage, in the order of the run and of the report."""

from __future__ import annotations

from disclosure_control.analyses.linkage_attack.inference import INFERENCE
from disclosure_control.analyses.linkage_attack.interval_disclosure import INTERVAL_DISCLOSURE
from disclosure_control.analyses.linkage_attack.kinds import AttackKind
from disclosure_control.analyses.linkage_attack.linkability import LINKABILITY
from disclosure_control.analyses.linkage_attack.singling_out import SINGLING_OUT

ATTACKS: dict[str, AttackKind] = {
    "singling_out": SINGLING_OUT,
    "inference": INFERENCE,
    "linkability": LINKABILITY,
    "interval_disclosure": INTERVAL_DISCLOSURE,
}
