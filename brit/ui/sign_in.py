"""Who may see a page: anybody at this machine, from elsewhere only who has signed in.

With `[auth]` in .streamlit/secrets.toml an OpenID Connect provider says who somebody is; with
BRIT_PASSWORD_HASH one password opens. Either is asked for at this machine too. Without them BRIT
shows nothing at an address that others can reach.
"""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

import streamlit as st

from brit.errors import InputError
from brit.ui import state
from brit.ui.passwords import PasswordCheck
from brit.ui.safe import escape_markdown
from brit.ui.wording import t, whole_seconds

_SIGNED_IN = "signed-in"


def let_in() -> None:
    """Ends the page for whoever may not see it, with what they can do."""
    if _asks_provider():
        if not _is_known():
            _ask_provider()
            st.stop()
    elif hash := state.settings().password_hash:
        if not st.session_state.get(_SIGNED_IN):
            _ask_password(hash)
            st.stop()
    elif not is_local(st.get_option("server.address")):
        st.error(t("sign_in.open_to_others"), icon=":material/lock:")
        st.stop()


def is_local(address: str | None) -> bool:
    """Whether a server at this address can be reached from its own machine alone."""
    if not address or address == "localhost":
        return address == "localhost"
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def is_shut() -> bool:
    """Whether people have to sign in."""
    return _asks_provider() or bool(state.settings().password_hash)


def sign_out_button() -> None:
    """For whoever has signed in."""
    if not is_shut():
        return
    provider = _asks_provider()
    if st.button(t("sign_in.out"), icon=":material/logout:", type="tertiary", key="sign-out"):
        if provider:
            st.logout()
        st.session_state.clear()
        st.rerun()


def _asks_provider() -> bool:
    """Raises InputError where the file that would say so is there and cannot be read: a slip in it
    must let nobody in."""
    if st.secrets.load_if_toml_exists():
        return "auth" in st.secrets
    if broken := [path for path in st.get_option("secrets.files") if Path(path).exists()]:
        raise InputError(t("sign_in.broken_secrets", path=broken[0]))
    return False


def _is_known() -> bool:
    """Signed in at the provider, under an address that may come in where addresses are named."""
    if not st.user.is_logged_in:
        return False
    allowed = state.settings().allowed
    email = str(st.user.get("email") or "").casefold()
    # Some providers write the answer as a text.
    verified = str(st.user.get("email_verified", True)).casefold() != "false"
    name, at, domain = email.rpartition("@")
    names = {email, at + domain} if name and verified else set()
    return not allowed or not names.isdisjoint(allowed)


def _ask_provider() -> None:
    with st.container(key="sign-in"):
        st.subheader(t("sign_in.title"), anchor=False)
        if st.user.is_logged_in:
            who = escape_markdown(str(st.user.get("email") or t("sign_in.nobody")), 120)
            st.error(t("sign_in.not_allowed", who=who), icon=":material/lock:")
            if st.button(t("sign_in.other"), key="sign-in-other"):
                st.logout()
        elif st.button(t("sign_in.go"), type="primary", key="sign-in-go"):
            st.login()


def _ask_password(hash: str) -> None:
    check = _check(hash)
    with st.container(key="sign-in"):
        with st.form("sign-in-form", border=False):
            st.subheader(t("sign_in.title"), anchor=False)
            given = st.text_input(t("sign_in.password"), type="password")
            pressed = st.form_submit_button(t("sign_in.go"), type="primary")
        if pressed and check.is_right(given):
            st.session_state[_SIGNED_IN] = True
            st.rerun()
        if pressed:
            wait = check.seconds_to_wait()
            told = t("sign_in.wait", left=whole_seconds(wait)) if wait else t("sign_in.wrong")
            st.error(told, icon=":material/lock:")


@st.cache_resource(show_spinner=False)
def _check(hash: str) -> PasswordCheck:
    return PasswordCheck(hash)
