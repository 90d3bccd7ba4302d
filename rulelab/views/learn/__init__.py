"""Guided walks over the live views: what a search does and why, one thing at a time."""
