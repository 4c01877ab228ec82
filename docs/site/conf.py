"""Sphinx's settings of the site; `build.py` lays the pages out and runs it."""

from boyi import __version__

project = "boyi"
author = copyright = "The boyi authors"
version = release = __version__
root_doc = "index"
# README.md is the front page, which index.md includes.
include_patterns = ["*.md", "api/*.md", "games/*.md", "docs/**.md", "envs/**.md", "examples/notebooks/*.ipynb"]
exclude_patterns = ["README.md", "docs/site/**"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True

# What stands in single backticks in a docstring is a name: a link where there is such a name, code where there is none.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "inherited-members": False, "show-inheritance": True}
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}

html_theme = "furo"
html_title = "boyi"
html_copy_source = False
html_show_sourcelink = False
