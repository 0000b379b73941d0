"""What is done beyond k, l, t: further measures of risk, custody of results, and what both doors share."""


def _check_risk(value: object) -> list[str]:
    from disclosure_control.risk import check_risk

    return check_risk(value)


# Config keys of the steps of door 2, each with its check; imported where used.
STEP_KEYS = {"risk": _check_risk}
