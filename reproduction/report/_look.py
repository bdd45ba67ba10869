"""The look of the page: light and dark, laptop and phone."""

from pathlib import Path

CSS = "\n" + Path(__file__).with_name("page.css").read_text(encoding="utf-8")
