"""The section of linkage in words: what its tables name, and what they do not."""

import pytest

from disclosure_control.analyses.linkage_attack.linkage import KnowledgeLevel
from disclosure_control.analyses.linkage_attack.rates import Rate
from disclosure_control.analyses.linkage_attack.report import attack_sections
from disclosure_control.analyses.linkage_attack.told import (
    AttacksTold,
    LinkageTold,
    MethodTold,
    PeopleTold,
    ReleaseAttacked,
)
from disclosure_control.basics.telling.section_text import as_text
from disclosure_control.basics.telling.sections import Where

RATE = Rate(0, 40)


@pytest.mark.parametrize(("best_rate", "shown"), [(0.0, "-"), (0.025, "sex, age")])
def test_where_no_set_finds_anybody_none_is_called_the_best(best_rate, shown):
    level = KnowledgeLevel(2, 3, 0.0, best_rate, ("sex", "age"))
    linkage = LinkageTold(["sex", "age"], {"exact": MethodTold(RATE, 0, None, None, [level])})
    told = AttacksTold({"treated": ReleaseAttacked(40, 0, linkage)}, [], PeopleTold(40))
    report = as_text(attack_sections(told), Where.FILE)
    table = report[report.index("Linkage by how much is known") :]
    (row,) = [line for line in table.splitlines() if "exact" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")][-2:] == [f"{100 * best_rate:.1f}%", shown]
