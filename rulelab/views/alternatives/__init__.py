"""Many good models: found, compared and chosen from."""
