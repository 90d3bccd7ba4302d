"""Good rule sets early; none of these proves anything."""
