"""Graph: every name of a collection, what is said of it, and the pictures it belongs to."""

from brit.ui.explore.view import show_explore
from brit.ui.setup import setup
from brit.ui.wording import t

show_explore(setup(t("nav.graph")))
