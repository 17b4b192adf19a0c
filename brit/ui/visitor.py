"""Who looks at the page, as far as it is known: by sign-in, else by the address they come from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from brit.errors import InputError
from brit.ui.wording import t

HERE = "this computer"


@dataclass(frozen=True)
class Visitor:
    """`name` is for the audit. `key`, which no name can be read out of, is what their folder is
    called and what limits count by; `signed_in` at a provider that vouches for who they are."""

    name: str
    key: str
    signed_in: bool = False


def visitor() -> Visitor:
    """Of the page that is being drawn; outside of one, nobody."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return Visitor("", "")
    # An address may be given to somebody else, or be unproven: who it is says the subject only.
    if subject := str(st.user.get("sub") or ""):
        name = str(st.user.get("email") or subject)
        return Visitor(name[:200], _hash(f"{st.user.get('iss')}\n{subject}"), True)
    address = str(st.context.ip_address or HERE)
    return Visitor(address, _hash(address))


def own_folder() -> str:
    """What the folder of a visitor's own workspace is called. Raises InputError without a provider
    that says who they are."""
    who = visitor()
    if not who.signed_in:
        raise InputError(t("sign_in.own_needs_provider"))
    return who.key


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
