"""What is wrong with a table."""


class TableError(ValueError):
    """The table cannot be opened, read or counted; the message says what was found, where, and what to do."""
