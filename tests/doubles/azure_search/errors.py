"""Error responses of the service."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A request that is answered with an error: the status, and the body as it is sent (None: no body)."""

    def __init__(self, status: int, message: str = "", *, code: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.body: dict[str, Any] | None = None
        if message:
            error: dict[str, Any] = {"code": code, "message": message}
            if detail:
                error["details"] = [{"code": detail, "message": message.split("\r\n", maxsplit=1)[0]}]
            self.body = {"error": error}


def bad_filter(reason: str) -> Refused:
    return Refused(400, f"Invalid expression: {reason}\r\nParameter name: $filter")


def bad_parameter(reason: str, parameter: str, detail: str = "InvalidRequestParameter") -> Refused:
    message = f"{reason}\r\nParameter name: {parameter}"
    return Refused(400, message, code="InvalidRequestParameter", detail=detail)


def not_allowed(reason: str, detail: str) -> Refused:
    return Refused(400, f"The request is invalid. Details: {reason}", code="OperationNotAllowed", detail=detail)


def no_index(name: str) -> Refused:
    return Refused(404, f"No index with the name '{name}' was found in the service 'stand-in'.")
