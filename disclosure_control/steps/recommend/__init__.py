"""The step ``recommend``: the mildest recoding that meets the thresholds."""
