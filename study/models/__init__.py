"""The data models that a study may come in: one file per model, found by being there; see ``registry``."""
