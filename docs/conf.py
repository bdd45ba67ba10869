"""Settings of the documentation site. `./dev docs` builds it, from a copy: building writes pages."""

import os
import re
import sysconfig

from sphinx_gallery.sorting import ExplicitOrder

import redoubt

project = "Redoubt"
author = "The Redoubt developers"
copyright = author
version = release = redoubt.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
# README.md is the contents page where files are read as they are; index.md is that of the site.
exclude_patterns = ["README.md", "gallery", "templates"]
templates_path = ["templates"]
html_theme = "furo"
html_title = f"Redoubt {release}"
html_show_copyright = False

myst_heading_anchors = 3  # links such as formats.md#model-files
highlight_language = "none"  # indented blocks are formulas and shell lines

autodoc_typehints = "none"  # the docstrings say more
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, like the parameters

# The last page of the gallery calls the program, which is installed beside Python.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])


def link_to_pages(_app, docname, source):
    """Links that are right where files are read as they are lead to the pages of the site."""
    text = re.sub(r"\]\(gallery/(\w+)\.py\)", r"](examples/\1.rst)", source[0])
    if docname.startswith("reports/"):
        text = text.replace("](../../docs/", "](../")
    else:
        text = text.replace("](../benchmarks/results/", "](reports/")
    # What the site does not have stays a name.
    source[0] = re.sub(r"\[([^\]]+)\]\((?:\.\./)+(?:benchmarks|examples|include|python|reproduction|tests)/[^)]*\)", r"\1", text)


def drop_signature(_app, _what, _name, _object, _options, lines):
    """Properties of the extension have a signature for a docstring, which is no text."""
    if lines and lines[0].startswith("(self) ->"):
        del lines[0]


def skip_fields(_app, _what, _name, member, skip, _options):
    """Fields of a named tuple are described in its docstring."""
    return skip or (getattr(member, "__doc__", None) or "").startswith("Alias for field number")


def shorten_signature(_app, _what, _name, _object, _options, signature, returns):
    """Signatures of the extension name types at length; the text says what is needed."""
    if signature is None or "numpy.ndarray[" not in signature:
        return None
    signature = re.sub(r": numpy\.ndarray\[.*?\]", "", signature)
    return signature.replace("(self, ", "("), None


def setup(app):
    app.connect("source-read", link_to_pages)
    app.connect("autodoc-process-docstring", drop_signature)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("autodoc-process-signature", shorten_signature)


sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder(
        [
            "train_and_certify.py",
            "certify_my_own_model.py",
            "choose_a_radius.py",
            "read_an_attack_curve.py",
            "real_attackers.py",
            "explain_a_loan.py",
            "spam_filter.py",
            "words_to_add.py",
            "from_csv_to_report.py",
        ]
    ),
    "abort_on_example_error": True,
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("redoubt",),
    "download_all_examples": False,
    "min_reported_time": 1e9,  # times are those of a machine
    "reset_modules": (),
    "show_signature": False,
    "write_computation_times": False,
}
