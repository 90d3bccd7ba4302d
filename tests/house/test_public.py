"""What others rely on changes only where somebody has read it."""

from public_names import LISTED, lines


def test_public_names_options_parameters_and_fields_are_those_that_were_reviewed() -> None:
    listed, now = LISTED.read_text(encoding="utf-8").splitlines(), lines()
    gone, new = sorted(set(listed) - set(now)), sorted(set(now) - set(listed))
    assert not gone, "gone: rulelab.lazy names another way for each, then python tests/public_names.py"
    assert not new, "new: read them, then python tests/public_names.py"
    assert listed == now
