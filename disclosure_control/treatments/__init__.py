"""How a pilot is treated before it leaves the house: recoding, suppression, perturbation, identifiers."""

# The modules that register treatments; each is imported where a treatment is looked up.
MODULES: tuple[str, ...] = ()
