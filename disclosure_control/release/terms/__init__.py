"""Coded terms of few people: raised along their hierarchy, or hidden."""
