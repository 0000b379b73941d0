"""The config key ``release``: its settings, and the records that it needs."""

from __future__ import annotations

from config.model_settings import PilotConfig
from disclosure_control.records.needs import Needed
from disclosure_control.release.settings import ReleaseSettings
from study.formats.registry import writers_by_name
from study.merge.subject_ids import SubjectIdRule

SETTINGS = ReleaseSettings


def records_needed(settings: ReleaseSettings, config: PilotConfig) -> list[Needed]:
    """All at once for settings that use whole domains, and for files written whole."""
    needed = []
    if settings.rare_terms is not None:
        needed.append(Needed("release['rare_terms']", otherwise="take it out for this run"))
    if settings.hide_terms:
        needed.append(Needed("release['hide_terms']", otherwise="take it out for this run"))
    by_rows = [name for name, writer in writers_by_name().items() if writer.write_rows is not None]
    if settings.format is not None and settings.format not in by_rows:
        allowed = " or ".join(f'"{name}"' for name in by_rows)
        otherwise = f"allowed: {allowed}, or nothing, for each file as it came"
        needed.append(Needed("release['format']", otherwise=otherwise, why=f"{settings.format} is written whole"))
    if config.of(SubjectIdRule).column is None:
        why = 'subject_id: {"column": None} numbers the rows of a file, which only runs in memory'
        needed.append(Needed("release", otherwise="add a column with the id to the file", why=why))
    return needed
