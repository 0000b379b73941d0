"""A first config for a pilot that has none: roles, bins and thresholds, each with its reason, for review."""
