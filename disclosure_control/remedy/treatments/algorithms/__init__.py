"""Algorithms of the treatments: searches, partitions, rankings, built hierarchies."""
