"""Drawings as SVG, made once: the page shows them, and the steps write them as files."""
