"""What a support ticket may show."""

from __future__ import annotations

import pytest

from diamond.core.redact import has_credentials, redacted, without_credentials


def test_a_report_hides_values_and_keeps_names() -> None:
    report = {
        "secrets": ["HF_TOKEN"],
        "variables": {"WANDB": "v"},
        "api_key": "v",
        "url": "https://ada:pw@git.example.org/x",
        "line": "export TOKEN=abc; Bearer xyz",
        "size": 5,
    }
    assert redacted(report) == {
        "secrets": ["HF_TOKEN"],
        "variables": {"WANDB": "[secret]"},
        "api_key": "[secret]",
        "url": "https://[secret]@git.example.org/x",
        "line": "export TOKEN=[secret] Bearer [secret]",
        "size": 5,
    }


def test_known_values_are_taken_out_wherever_they_stand() -> None:
    found = {"a": ["export HF_TOKEN=abc123", "no hush"], "b": {"c": "say hush now"}}
    assert redacted(found, ["hush"]) == {
        "a": ["export HF_TOKEN=[secret]", "no [secret]"],
        "b": {"c": "say [secret] now"},
    }


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer s3cret",
        "authorization: basic s3cret",
        '{"password": "s3cret"}',
        "api-key: s3cret",
        "https://s3cret@host/x",
        "https://host/x?token=s3cret&page=2",
        "used hf_s3cretABCDEFGHIJKLMNOP here",
    ],
)
def test_what_looks_like_a_secret_is_hidden_and_the_rest_stays(text: str) -> None:
    shown = redacted(text)
    assert "s3cret" not in shown
    assert "[secret]" in shown
    assert redacted(shown) == shown


def test_plain_words_stay_as_they_are() -> None:
    text = "step 5 loss=0.1 https://example.org/tokenizers ended with exit code 1"
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("https://ghp_abc@host/x@c0ffee", "https://host/x@c0ffee"),
        ("https://ada:p@ss@host/x", "https://host/x"),
        ("fatal: 'git+https://0a1b2c3d4e5f6a7b8c9d0@host/x'", "fatal: 'git+https://host/x'"),
        ("ssh://ada:pw@host/x", "ssh://host/x"),
        ("https://ada@host/x", "https://ada@host/x"),
        ("https://git@host/x", "https://git@host/x"),
        ("ssh://git@host:2222/x@abc", "ssh://git@host:2222/x@abc"),
        ("https://host/a@b, mail ada@host", "https://host/a@b, mail ada@host"),
    ],
)
def test_passwords_and_tokens_are_taken_out_of_urls(text: str, cleaned: str) -> None:
    assert without_credentials(text) == cleaned
    assert has_credentials(text) is (text != cleaned)
