"""The treatments, by family: a file here registers its own, and is found by being here."""
