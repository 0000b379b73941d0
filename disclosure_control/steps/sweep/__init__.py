"""The step ``sweep``: a grid of treatments by risk and utility."""
