"""The step ``context``: what the controller says of purpose, recipient and approval, and what is still open."""

from disclosure_control.basics.telling.sections import Outline

OUTLINES: tuple[Outline, ...] = ()  # it fills the evidence
