"""Settings: models, encoders, limits, health."""

from brit.ui.settings_view import show_settings
from brit.ui.setup import setup
from brit.ui.wording import t

show_settings(setup(t("nav.settings")))
