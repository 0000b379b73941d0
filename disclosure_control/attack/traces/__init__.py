"""Traces of originals in the cells of what leaves."""
