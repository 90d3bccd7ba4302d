"""The server of the page: who may come, what is answered, and how it ends."""
