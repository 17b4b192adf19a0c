"""Verify: a text against a picture and the documents, and answers graded by a rubric."""

from brit.ui.setup import setup
from brit.ui.verify_view import show_verify
from brit.ui.wording import t

show_verify(setup(t("nav.verify")))
