"""Says when what is drawn no longer fits the window or the theme.

Streamlit draws nothing anew when a window changes its size or a theme its colours, and what it
does not colour itself stays as it was. A look at both twice a second sees every cause: window, side
bar, menu, and the system at dusk.
"""

from __future__ import annotations

import streamlit as st

# It waits until both looks are alike, so that nothing is drawn while a window is being pulled, and
# until a dialog above it has closed, which a new page would close too. What a scroll bar takes is
# no change.
_JS = """
const SLACK = 32;
const watched = new WeakMap();

function look(host) {
  const app = document.querySelector('[data-testid="stApp"]') ?? document.body;
  return { width: host.clientWidth, height: window.innerHeight,
    theme: getComputedStyle(app).backgroundColor };
}

const differ = (a, b, slack) => a.theme !== b.theme
  || Math.abs(a.width - b.width) > slack || Math.abs(a.height - b.height) > slack;

export default function ({ parentElement, setStateValue }) {
  if (watched.has(parentElement)) return;
  const host = parentElement.host ?? parentElement;
  let drawn = look(host), before = drawn;
  const timer = setInterval(() => {
    const now = look(host);
    const still = !differ(now, before, 0);
    before = now;
    const dialog = document.querySelector('[role="dialog"]');
    if (!still || !now.width || !differ(now, drawn, SLACK)) return;
    if (dialog && !dialog.contains(host)) return;
    drawn = now;
    setStateValue("view", `${now.width}x${now.height} ${now.theme}`);
  }, 500);
  watched.set(parentElement, timer);
  return () => { clearInterval(timer); watched.delete(parentElement); };
}
"""


def watch_view(key: str) -> str:
    """What to add to the key of a drawing, so that it is drawn anew once its frame or the theme has
    changed. Reruns the fragment it is called in, and nothing while a dialog is open above it."""
    component = st.components.v2.component("brit_view", html="<span></span>", js=_JS)
    result = component(key=key, default={"view": ""}, on_view_change=lambda: None, height=1)
    return str(result.view or "")
