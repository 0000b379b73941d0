"""Measures of risk beyond k, l and t: functions of equivalence classes and count tables, each with its source."""
