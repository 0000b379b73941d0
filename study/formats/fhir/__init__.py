"""FHIR R4: bulk data as flat tables, by view definitions."""

from study.formats.fhir.reading import FORMAT

__all__ = ["FORMAT"]
