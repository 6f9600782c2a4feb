"""A report and a model's results as an annotation in Croissant 1.1, in a file of its own.

The Hub writes the Croissant of a dataset itself, so that this stands beside it. The numbers of the report are a record
set, which can be loaded from report.json; what was measured of the whole task annotates that record set.

The vocabulary is that of https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ibc_report.common.escaping import one_line
from ibc_report.publish.submission import Submission

__all__ = ["croissant"]

PREFIX = "cr"

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    PREFIX: "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{
        term: f"{PREFIX}:{term}"
        for term in (
            "annotation",
            "arrayShape",
            "citeAs",
            "column",
            "containedIn",
            "equivalentProperty",
            "extract",
            "field",
            "fileObject",
            "fileProperty",
            "fileSet",
            "format",
            "includes",
            "isArray",
            "isLiveDataset",
            "jsonPath",
            "key",
            "md5",
            "parentField",
            "path",
            "recordSet",
            "references",
            "regex",
            "repeated",
            "replace",
            "samplingRate",
            "separator",
            "source",
            "subField",
            "transform",
        )
    },
}
"""The context of Croissant 1.1 with the prefix of PROV; a reader warns of every term that is missing."""

FIELDS = (
    ("key", "sc:Text", "Stable name of the number."),
    ("name", "sc:Text", "Its name in words."),
    ("value", "sc:Float", "The number."),
    ("text", "sc:Text", "As it is printed."),
    ("origin", "sc:Text", "Where it came from."),
)


def croissant(submission: Submission, report: bytes, page: str | None) -> str:
    """Write the annotation.

    Parameters
    ----------
    report : bytes
        Content of report.json, which lies beside it.
    page : str or None
        Address of the dataset's page, where the report names none.

    Returns
    -------
    str
        JSON-LD, the same for the same submission.
    """
    of = submission.report
    address = (of.data.homepage if of.data is not None else None) or page
    said = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": f"{of.name}-difficulty",
        "description": one_line(f"Difficulty report of {of.title}, with results of {submission.repository}."),
        "version": f"{of.schema_version}.0.0",
        **({"url": address, "isBasedOn": address} if address else {}),
        **({"license": of.data.license} if of.data is not None and of.data.license else {}),
        "citeAs": of.bibtex,
        "creator": {"@type": "sc:Organization", "name": "ibc-report"},
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "name": "inductive bias complexity",
            "description": one_line(of.convention_statement),
            "prov:used": _used(submission),
            "prov:wasAssociatedWith": {
                "@type": "prov:SoftwareAgent",
                "name": "ibc-report",
                "sc:softwareVersion": of.repeat.versions.get("ibc-report", "unknown"),
            },
        },
        "variableMeasured": _variables(submission),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "report.json",
                "name": "report.json",
                "description": "The report.",
                "contentUrl": "report.json",
                "encodingFormat": "application/json",
                "sha256": hashlib.sha256(report).hexdigest(),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "numbers",
                "name": "numbers",
                "description": "The numbers of the report.",
                "field": [_field(*field) for field in FIELDS],
                "annotation": _annotations(submission),
            }
        ],
    }
    return json.dumps(said, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _used(submission: Submission) -> str:
    data = submission.report.data
    return "declared numbers" if data is None else one_line(f"{data.source} at {data.revision}")


def _field(name: str, kind: str, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"numbers/{name}",
        "name": name,
        "description": description,
        "dataType": kind,
        "source": {"fileObject": {"@id": "report.json"}, "extract": {"jsonPath": f"$.numbers[*].{name}"}},
    }


def _measured(submission: Submission) -> list[tuple[str, str, float | None, float | None, float | None]]:
    """Name, description, value and interval of what was measured of the whole task."""
    head, entry = submission.report.headline, submission.entry
    return [
        ("log10_bits", f"log10 of the inductive bias complexity in bits. {head.is_not}", head.log10_bits, head.lower,
         head.upper),
        ("accuracy", f"Share of right answers of {submission.repository} on {entry.n:,} examples.", entry.accuracy,
         entry.wilson.lower, entry.wilson.upper),
    ]  # fmt: skip


def _variables(submission: Submission) -> list[dict[str, Any]]:
    return [
        {
            "@type": "sc:PropertyValue",
            "name": name,
            "description": one_line(description),
            "value": value,
            **({"minValue": lower} if lower is not None else {}),
            **({"maxValue": upper} if upper is not None else {}),
        }
        for name, description, value, lower, upper in _measured(submission)
        if value is not None
    ]


def _annotations(submission: Submission) -> list[dict[str, Any]]:
    fields = []
    for name, description, value, lower, upper in _measured(submission):
        for suffix, part in (("", value), ("_lower", lower), ("_upper", upper)):
            if part is not None:
                fields.append(
                    {
                        "@type": "cr:Field",
                        "@id": f"numbers/{name}{suffix}",
                        "name": f"{name}{suffix}",
                        "description": one_line(f"{description}{' End of its interval.' if suffix else ''}"),
                        "dataType": "sc:Float",
                        "equivalentProperty": "sc:variableMeasured",
                        "value": part,
                    }
                )
    return fields
