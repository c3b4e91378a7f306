"""The token that a CI service offers a build, and the key that the server gives for it: so that no secret is stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from . import http_call
from .http_call import Body

# The longest that the server gives: the tests may run as long.
_LIFE = "PT6H"


class TokenOffer(NamedTuple):
    token: str
    """As a variable has it. Empty on GitHub, where it is asked for by the others."""
    request_url: str
    request_token: str
    audience: str
    """Empty for the address of the server."""


def offered_token(env: Mapping[str, str]) -> TokenOffer | None:
    """None where the CI service offers none, as to a pull request of a fork."""
    names = (
        "TESTLEDGER_ID_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "TESTLEDGER_AUDIENCE",
    )
    offer = TokenOffer(*(env.get(name, "").strip() for name in names))
    return offer if offer.token or (offer.request_url and offer.request_token) else None


def key_of_build(offer: TokenOffer, *, url: str, project: str, timeout: float) -> str:
    """Raises what http_call.call raises."""
    body = json.dumps({"token": _token(offer, url, timeout), "project_id": project, "ttl": _LIFE}).encode()
    answer = http_call.call(
        "POST",
        f"{url}/v1/ci-token",
        headers={"Accept": "application/json", "Content-Type": "application/json"},
        timeout=timeout,
        body=Body(body, len(body)),
    )
    return str(answer["data"]["key"])


def _token(offer: TokenOffer, url: str, timeout: float) -> str:
    if offer.token:
        return offer.token
    joint = "&" if "?" in offer.request_url else "?"
    answer = http_call.call(
        "GET",
        f"{offer.request_url}{joint}audience={quote(offer.audience or url, safe='')}",
        headers={"Authorization": f"Bearer {offer.request_token}", "Accept": "application/json"},
        timeout=timeout,
    )
    return str(answer["value"])
