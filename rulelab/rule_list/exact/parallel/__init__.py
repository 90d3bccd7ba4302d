"""The exact search by several threads at once: rounds of work on one memo, which meet to store what they found."""
