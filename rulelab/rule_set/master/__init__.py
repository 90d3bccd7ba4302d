"""The restricted master: its linear program, its proximal form, and the bound that any dual values prove."""
