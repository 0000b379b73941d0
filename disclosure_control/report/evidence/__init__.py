"""The evidence pack of a run, ``evidence/``: the manifest of inputs and results, and the anonymisation report."""
