"""The lattice of recodings of a pilot, and the search for the least costly one that meets the thresholds.

    classes -> ``generalisations`` (what each value becomes, level by level) -> ``nodes`` (classes of a transformation,
    rolled up from finer ones) -> ``requirements`` (k, l, t and suppression) and ``losses`` -> ``search``

No record is read again: a transformation's classes are sums of the classes that the assessment formed.
"""
