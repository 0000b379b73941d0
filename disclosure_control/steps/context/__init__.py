"""The step ``context``: the controller's statements on purpose, recipient and approval, and the open points."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES: tuple[Outline, ...] = ()  # it fills the evidence
