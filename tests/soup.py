"""What stands in HTML."""

from bs4 import BeautifulSoup


def soup(html: str) -> BeautifulSoup:
    """Parsed as it stands, without being mended."""
    return BeautifulSoup(html, "html.parser")


def tags(html: str) -> list[str]:
    """The names of all elements."""
    return [each.name for each in soup(html).find_all(True)]


def rows(html: str) -> list[list[str]]:
    """The texts of the cells of tables, row by row."""
    return [[cell.get_text() for cell in row.find_all(["td", "th"])] for row in soup(html).find_all("tr")]
