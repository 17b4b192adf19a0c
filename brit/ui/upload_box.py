"""Where files are dropped, with one line on what can be read."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from brit.ui.uploads import NamedFile
from brit.ui.wording import t


def upload_box(label: str, key: str) -> Sequence[NamedFile]:
    """→ the files just given. What is read is said below, and a file of another
    kind ends as a line of the Library: a filter would tell the browser's word for it, once."""
    with st.container(key="upload-box", gap="xsmall"):
        files = st.file_uploader(label, accept_multiple_files=True, key=key)
        size = st.get_option("server.maxUploadSize")
        st.caption(t("upload.formats", size=size))
    return files
