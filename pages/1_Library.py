"""Library: collections, adding documents, and what became of each."""

from brit.ui.library_view import show_library
from brit.ui.setup import setup
from brit.ui.wording import t

show_library(setup(t("nav.library")))
