"""The OpenAPI document of the endpoints, made from their table."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from holdfast import __version__
from holdfast.apps.studio.endpoints import ENDPOINTS, Endpoint

ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message"],
            "properties": {
                "message": {"type": "string"},
                "place": {"type": ["object", "null"], "description": "line, column and end_column, from 1"},
                "hint": {"type": ["string", "null"]},
            },
        }
    },
}
STATUSES = {
    "400": "the request itself is wrong",
    "403": "foreign host or origin, or a wrong token",
    "404": "no such file",
    "409": "the file has changed, or a newer request replaced this one",
    "413": "too large",
    "422": "the scenario, or what is asked of it, is wrong",
    "429": "too many questions at once",
    "503": "there was not enough memory",
    "504": "the time ran out",
}


def document() -> dict[str, Any]:
    """The whole document."""
    shapes = {endpoint.body: None for endpoint in ENDPOINTS if endpoint.body is not None}
    _, made = models_json_schema(
        [(shape, "validation") for shape in shapes], ref_template="#/components/schemas/{model}"
    )
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(f"/api/{endpoint.name}", {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holdfast studio",
            "version": __version__,
            "description": "Answers of Holdfast as the command line gives them with --json.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {**made["$defs"], "Error": ERROR},
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "X-Holdfast-Token"}},
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    kind = "application/x-ndjson" if endpoint.streams else "application/json"
    errors = {
        status: {
            "description": description,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
        for status, description in STATUSES.items()
    }
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()}_{endpoint.name.replace('.', '_')}",
        "responses": {"200": {"description": "the answer", "content": {kind: {"schema": {}}}}, **errors},
    }
    if endpoint.parameters:
        operation["parameters"] = [
            {"name": name, "in": "query", "required": True, "schema": {"type": "string"}}
            for name in endpoint.parameters
        ]
    if endpoint.body is not None:
        schema = {"$ref": f"#/components/schemas/{endpoint.body.__name__}"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation
