"""Small pieces of the page: escaped HTML, icons, colours, texts that are read aloud."""
