"""A button that copies a text. The text travels as data; it is never part of HTML or script."""

from __future__ import annotations

import streamlit as st

_HTML = '<button type="button"><span class="mark" aria-hidden="true"></span><span></span></button>'
_CSS = """
button { all: unset; display: inline-flex; align-items: center; gap: .45rem; cursor: pointer;
  font: 400 .875rem/1.6 var(--st-font); color: var(--st-text-color); padding: .25rem 0; }
button:hover { color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 3px;
  border-radius: 4px; }
.mark { position: relative; width: .8rem; height: .95rem; }
.mark::before, .mark::after { content: ""; position: absolute; width: .5rem; height: .62rem;
  border: 1.5px solid currentColor; border-radius: 2px; }
.mark::before { left: 0; top: 0; opacity: .55; }
.mark::after { right: 0; bottom: 0; background: var(--st-background-color); }
"""
_JS = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const label = button.lastElementChild;
  label.textContent = data.label;
  button.onclick = async () => {
    await navigator.clipboard.writeText(data.text);
    label.textContent = data.done;
    setTimeout(() => { label.textContent = data.label; }, 1600);
  };
}
"""


def copy_button(text: str, label: str, done: str, key: str) -> None:
    """`done` takes the place of `label` for a moment once the text is on the clipboard."""
    component = st.components.v2.component("brit_copy", html=_HTML, css=_CSS, js=_JS)
    component(data={"text": text, "label": label, "done": done}, key=key, width="content")
