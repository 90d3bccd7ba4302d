"""How Sphinx makes the book."""

import os
from typing import Any

import param
from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

import rulelab

param.parameterized.docstring_describe_params = False
param.parameterized.docstring_signature = False

project = "rulelab"
author = "the rulelab developers"
copyright = "the rulelab developers, BSD 3-Clause"
version = release = rulelab.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
default_role = "py:obj"
highlight_language = "none"
add_module_names = False
suppress_warnings = ["mystnb.unknown_mime_type", "ref.python"]  # the latter: a name that several classes have

autodoc_typehints = "none"
autodoc_default_options = {  # made by scikit-learn, the same for every estimator
    "exclude-members": "set_fit_request, set_score_request, set_transform_request, set_predict_request"
}
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache" if os.environ.get("RULELAB_BOOK_EXECUTE") else "off"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_title = f"rulelab {version}"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "rulelab"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {
    page: []
    for page in (
        "changelog",
        "commands",
        "contributing",
        "family",
        "gallery/index",
        "glossary",
        "howto",
        "others",
        "page",
        "papers",
        "searches",
        "serve",
        "speed",
        "tables",
    )
}


def mathml(builder: Any, node: nodes.Node, block: bool) -> None:
    """Formulas as MathML, which browsers draw by themselves, without scripts from elsewhere."""
    try:
        text = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("a formula cannot be drawn: %s", error, location=node)
        text = node.astext()
    builder.body.append(f'<div class="formula">{text}</div>' if block else text)
    raise nodes.SkipNode


def whole_sentences(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon in the first line of a property for its type."""
    if what in ("attribute", "property") and lines and ":" in lines[0]:
        lines[:0] = ["..", ""]  # an empty comment


def setup(app: Any) -> None:
    """Add what this book has besides its extensions."""
    inline = (lambda builder, node: mathml(builder, node, False), None)
    block = (lambda builder, node: mathml(builder, node, True), None)
    app.add_html_math_renderer("mathml", inline, block)
    app.connect("autodoc-process-docstring", whole_sentences, priority=400)  # napoleon has 500
