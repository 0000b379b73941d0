"""The step ``risk``: measures of risk beyond k, l and t, why the risk is there, and who bears it."""
