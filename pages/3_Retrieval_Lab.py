"""Retrieval Lab: one question under two settings, and what each of them finds."""

from brit.ui.lab_view import show_lab
from brit.ui.setup import setup
from brit.ui.wording import t

show_lab(setup(t("nav.lab")))
