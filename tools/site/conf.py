"""Settings of Sphinx for the documentation site. tools/make_site.py lays out the pages and starts Sphinx."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sources = pathlib.Path(os.environ["IKAT_SOURCE"])

project = "ikat"
release = re.search(r"^project\(ikat VERSION ([\d.]+)", (sources / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
extensions = ["myst_parser", "glossary_links"]
myst_heading_anchors = 4  # the addresses that forges give to headings
nitpicky = True
smartquotes = False  # -- is an option
highlight_language = "none"
html_theme = "furo"
html_title = f"ikat {release}"
html_static_path = [str(pathlib.Path(__file__).parent / "static")]
html_css_files = ["ikat.css"]
html_theme_options = {
    "navigation_with_keys": False,
    "footer_icons": [],
    "light_css_variables": {"color-brand-primary": "#15616d", "color-brand-content": "#0b5f8a"},
    "dark_css_variables": {"color-brand-primary": "#6cc5d0", "color-brand-content": "#7ab8e6"},
}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
html_search_scorer = str(pathlib.Path(__file__).parent / "scorer.js")
html_show_search_summary = False  # summaries are fetched, which browsers refuse to pages from disk
html_last_updated_fmt = None
