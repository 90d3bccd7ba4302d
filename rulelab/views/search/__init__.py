"""A search on the page: its form, its live plots, its best model."""
