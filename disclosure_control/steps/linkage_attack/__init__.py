"""Attacks on a release: linkage with an identified table, singling out, inference of attributes, and their rates."""
