"""Fixtures of every room: doors that run in this process, and a synthetic pilot for them."""

from tests.run.fixtures import doors, finished_template, fresh, pilot

__all__ = ["doors", "finished_template", "fresh", "pilot"]
