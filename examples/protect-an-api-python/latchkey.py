"""Checks access tokens of Latchkey."""

import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Annotated

import jwt
from fastapi import Depends, Header, HTTPException

ISSUER = os.environ.get("ISSUER", "http://localhost:8081")
AUDIENCE = os.environ.get("AUDIENCE", "authenticated")

# Fetched with the first token, and again after ten minutes or for a key that is new, at most every ten seconds.
keys = jwt.PyJWKClient(
    f"{ISSUER}/.well-known/jwks.json", lifespan=600, cooldown_duration=10, timeout=3
)


def refuse(status: int, error: str) -> HTTPException:
    """An answer other than the one that was asked for."""
    headers = {}
    if status == 401:  # RFC 6750 3
        told = "Bearer" if error == "token_missing" else f'Bearer error="{error}"'
        headers["WWW-Authenticate"] = told
    if status == 503:
        headers["Retry-After"] = "5"
    return HTTPException(status, error, headers)


@dataclass(frozen=True)
class User:
    token: str
    id: str
    aal: str
    organization: str | None
    permissions: tuple[str, ...]


# Not async: FastAPI runs it in a thread, where fetching the keys holds up no other request.
def read_user(authorization: Annotated[str, Header()] = "") -> User:
    """Who calls. Raises 401 without a valid token, 403 unless it is a user's, 503 while the keys cannot be fetched."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise refuse(401, "token_missing")
    try:
        key = keys.get_signing_key(jwt.get_unverified_header(token).get("kid"))
    except jwt.InvalidTokenError:
        raise refuse(401, "invalid_token") from None
    except (jwt.PyJWKClientError, jwt.PyJWKSetError) as error:
        # It says both that there is no such key and that there are no keys; only the first is about the token.
        is_missing = "Unable to find a signing key" in str(error)
        raise refuse(401, "invalid_token") if is_missing else refuse(503, "keys_unavailable")
    try:
        claims = jwt.decode(
            token,
            key,
            algorithms=["ES256", "RS256"],
            issuer=ISSUER,
            audience=AUDIENCE,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
    except jwt.InvalidTokenError:
        raise refuse(401, "invalid_token") from None
    # Programs, administrators, and users who still need a second factor have other roles; tokens of other applications
    # have client_id.
    if claims.get("role") != "authenticated" or "client_id" in claims:
        raise refuse(403, "user_required")
    return User(
        token=token,
        id=claims["sub"],
        aal=claims.get("aal", "aal1"),
        organization=claims.get("org_id"),
        permissions=tuple(claims.get("org_permissions", ())),
    )


CurrentUser = Annotated[User, Depends(read_user)]


def require_second_factor(user: CurrentUser) -> None:
    """Raises 403 unless the session has a second factor."""
    if user.aal != "aal2":
        raise refuse(403, "insufficient_aal")


def require_organization(permission: str | None = None):
    """For a path with organization_id. Raises 403 unless the user acts for it, with this permission where one is named."""

    def check(organization_id: str, user: CurrentUser) -> None:
        if user.organization != organization_id:
            raise refuse(403, "other_organization")
        if permission is not None and permission not in user.permissions:
            raise refuse(403, "permission_missing")

    return Depends(check)


def require_live_session(user: CurrentUser) -> None:
    """Asks Latchkey whether the session is still there, which the token cannot say. Raises 401 if it has ended, 503 if
    Latchkey does not answer. It costs a call: ask where it matters."""
    headers = {"Authorization": f"Bearer {user.token}"}
    request = urllib.request.Request(f"{ISSUER}/user", headers=headers)
    try:
        urllib.request.urlopen(request, timeout=3).close()
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (401, 403, 404):
            raise refuse(401, "invalid_token") from None
        raise refuse(503, "latchkey_unavailable") from None
    except OSError:
        raise refuse(503, "latchkey_unavailable") from None
