"""The evidence pack of a run, ``evidence/``: the manifest of what went in and out, and the anonymisation report."""
