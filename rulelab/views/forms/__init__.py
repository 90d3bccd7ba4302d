"""Fields of forms, the data they choose from, and the address that holds what was chosen."""
