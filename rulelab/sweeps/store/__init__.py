"""Results on disk: lines under checksums, one writer at a time, and what of them can be used again."""
