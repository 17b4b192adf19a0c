"""Who may come in."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import streamlit as st
from fake_backend import fill
from streamlit.testing.v1 import AppTest

from brit.config import Settings, load_settings
from brit.errors import InputError
from brit.storage import Workspace
from brit.ui import state, visitor
from brit.ui.passwords import WRONG_A_MINUTE, PasswordCheck, hash_password
from brit.ui.sign_in import _is_known, is_local
from brit.ui.visitor import own_folder

PASSWORD = "gull"


@pytest.fixture(scope="module")
def hashed() -> str:
    return hash_password(PASSWORD)


@pytest.mark.parametrize(
    ("address", "local"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.4", False), ("", False), (None, False),
     ("brit.example", False)],
)  # fmt: skip
def test_only_the_loopback_is_this_machine_alone(address: str | None, local: bool) -> None:
    assert is_local(address) is local


def test_a_password_is_kept_as_a_salted_hash(hashed: str) -> None:
    assert hashed.startswith("$argon2id$")
    assert PASSWORD not in hashed
    assert hashed != hash_password(PASSWORD)
    check = PasswordCheck(hashed)
    assert check.is_right(PASSWORD)
    assert not check.is_right("Gull")
    assert not check.is_right("")


def test_nobody_can_try_passwords_without_end(hashed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check, now = PasswordCheck(hashed), time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    assert not any(check.is_right(f"try {n}") for n in range(WRONG_A_MINUTE))
    assert check.seconds_to_wait() == pytest.approx(60)
    assert not check.is_right(PASSWORD)
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert check.seconds_to_wait() == 0
    assert check.is_right(PASSWORD)


@pytest.mark.parametrize(
    "cut", ["$argon2", "$argon2id$v=19$m=65536", "$argon2id$v=19$m=65536,t=3,p=4$YQ"]
)
def test_a_hash_that_was_cut_is_said(cut: str) -> None:
    with pytest.raises(InputError, match="no argon2 hash"):
        PasswordCheck(cut).is_right(PASSWORD)


def _serve_user(monkeypatch: pytest.MonkeyPatch, **user: object) -> None:
    class User(dict[str, object]):
        is_logged_in = True

    monkeypatch.setattr(st, "user", User(user))
    settings = Settings(allowed=frozenset({"ann@firm.example", "@lab.example"}))
    monkeypatch.setattr(state, "settings", lambda: settings)


@pytest.mark.parametrize(
    ("user", "known"),
    [({"email": "Ann@firm.example"}, True), ({"email": "bo@lab.example"}, True),
     ({"email": "bo@lab.example", "email_verified": True}, True),
     ({"email": "bo@lab.example", "email_verified": False}, False),
     ({"email": "bo@lab.example", "email_verified": "false"}, False),
     ({"email": "bo@firm.example"}, False), ({"email": "lab.example"}, False),
     ({"email": "@lab.example"}, False), ({"email": None}, False), ({}, False)],
)  # fmt: skip
def test_only_named_and_verified_addresses_are_known(
    monkeypatch: pytest.MonkeyPatch, user: dict[str, object], known: bool
) -> None:
    _serve_user(monkeypatch, **user)
    assert _is_known() is known


def test_a_slip_in_the_file_of_secrets_lets_nobody_in(
    app, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, tmp_path)
    secrets = tmp_path / "secrets.toml"
    secrets.write_text("[auth\nclient_id = 1")
    get = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda key: [str(secrets)] if key == "secrets.files" else get(key)
    )
    test: AppTest = app()
    (told,) = test.error
    assert "cannot be read" in told.value
    assert not any((test.chat_input, test.selectbox))


def test_a_setting_that_is_no_hash_is_refused() -> None:
    with pytest.raises(InputError, match="no argon2 hash"):
        load_settings({"BRIT_PASSWORD_HASH": PASSWORD})
    settings = load_settings({"BRIT_ALLOWED": "Ann@Firm.example, @lab.example"})
    assert settings.allowed == {"ann@firm.example", "@lab.example"}


def test_a_hash_is_shown_nowhere(hashed: str) -> None:
    assert hashed not in repr(Settings(password_hash=hashed))


def test_nothing_is_shown_before_the_password(
    app, workspace: Workspace, tmp_path: Path, hashed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, tmp_path)
    settings = Settings(workspace=workspace.folder, password_hash=hashed)
    monkeypatch.setattr(state, "settings", lambda: settings)
    for page in ("app.py", *(f"pages/{each.name}" for each in Path("pages").glob("*.py"))):
        test: AppTest = app(page)
        assert [each.label for each in test.text_input] == ["Password"], page
        assert not any((test.selectbox, test.chat_input, test.sidebar.children)), page
    test.text_input[0].set_value("wrong")
    test.button[0].click().run()
    assert [each.value for each in test.error] == ["That is not the password. Try again."]
    test = app()
    test.text_input[0].set_value(PASSWORD)
    test.button[0].click().run()
    assert test.chat_input(key="ask-box")
    test.button(key="sign-out").click().run()
    assert [each.label for each in test.text_input] == ["Password"]


def test_open_to_others_without_a_password_nothing_is_shown(
    app, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(workspace, tmp_path)
    get = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda key: "0.0.0.0" if key == "server.address" else get(key)
    )
    test: AppTest = app()
    (told,) = test.error
    assert "BRIT_PASSWORD_HASH" in told.value
    assert not any((test.chat_input, test.selectbox))


def _as(monkeypatch: pytest.MonkeyPatch, **user: object) -> None:
    monkeypatch.setattr(visitor, "get_script_run_ctx", lambda **_: object())
    monkeypatch.setattr(st, "user", user)


def test_who_somebody_is_says_the_provider_and_its_subject_not_their_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = []
    for issuer, subject in (("a", "1"), ("a", "2"), ("b", "1")):
        _as(monkeypatch, iss=issuer, sub=subject, email="ann@firm.example")
        keys.append(own_folder())
    assert len(set(keys)) == 3
    assert all(key.isalnum() and len(key) == 32 for key in keys)
    _as(monkeypatch, iss="a", sub="1", email="other@firm.example")
    assert own_folder() == keys[0]
    _as(monkeypatch, iss="a", sub="../../etc")
    assert own_folder().isalnum()
    _as(monkeypatch)
    with pytest.raises(InputError, match="nobody says who you are"):
        own_folder()


def test_nobody_sees_what_lies_in_anothers_workspace(
    app, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = ["ann"]
    settings = Settings(workspace=tmp_path / "root", own_workspaces=True)
    monkeypatch.setattr(state, "settings", lambda: settings)
    monkeypatch.setattr(state, "own_folder", lambda: who[0])
    monkeypatch.setattr(
        state, "workspace", lambda: Workspace.open(settings.workspace / "users" / who[0])
    )
    anns = state.workspace()
    fill(anns, tmp_path)
    (collection,) = anns.documents.collections()
    chat = anns.chats.create(collection.id, "Ann's secret").id
    anns.chats.add_turn(chat, "Ann's secret")
    assert "secret" in _words(app(chat=chat))
    who[0] = "bob"
    for place in ({"chat": chat}, {"collection": collection.id}, {}):
        seen = _words(app(**place))
        assert "secret" not in seen
        assert collection.name not in seen
    assert collection.name not in _words(app("pages/1_Library.py", collection=collection.id))


def _words(test: AppTest) -> str:
    assert not test.exception
    return " ".join(
        str(each.value) for each in (*test.markdown, *test.selectbox, *test.caption)
    ) + (" ".join(each.label for each in test.button))


def test_who_signs_in_is_offered_no_files_of_this_computer(
    app, workspace: Workspace, hashed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "path" in str([each.label for each in app("pages/1_Library.py").text_input]).lower()
    settings = Settings(workspace=workspace.folder, password_hash=hashed)
    monkeypatch.setattr(state, "settings", lambda: settings)
    monkeypatch.setattr("brit.ui.setup.let_in", lambda: None)
    test = app("pages/1_Library.py")
    assert not test.exception
    assert "path" not in str([each.label for each in test.text_input]).lower()
