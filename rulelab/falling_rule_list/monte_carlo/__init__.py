"""The Monte-Carlo search of the falling rule list papers."""
