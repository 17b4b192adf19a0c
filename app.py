"""Ask: a question, the answer, and the way through text and pictures that led to it."""

from brit.ui.ask_view import show_ask
from brit.ui.setup import setup
from brit.ui.wording import t

show_ask(setup(t("nav.ask")))
