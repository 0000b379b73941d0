from tests.doors.fixtures import doors, finished_template, fresh, pilot

__all__ = ["doors", "finished_template", "fresh", "pilot"]
