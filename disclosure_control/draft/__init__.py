"""A first config for a pilot without one: roles, bins and thresholds, each with its reason, for review."""
