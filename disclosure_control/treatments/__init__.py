"""How a pilot is treated before it leaves the house: recoding, suppression, perturbation, identifiers."""

# The modules that register treatments; each is imported where a treatment is looked up.
MODULES: tuple[str, ...] = (
    "recoding",
    "grouping",
    "coding",
    "columns",
    "suppression",
    "perturbation",
    "noise",
    "pseudonyms",
    "dates",
    "identifiers",
    "local_suppression",
    "mondrian",
    "microaggregation",
    "massaging",
    "recommended",
)
