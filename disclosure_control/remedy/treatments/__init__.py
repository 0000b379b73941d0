"""How a pilot is treated before it leaves the house: recoding, suppression, perturbation, identifiers."""
