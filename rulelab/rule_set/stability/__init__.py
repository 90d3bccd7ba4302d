"""Which rules return on bootstrap samples."""
