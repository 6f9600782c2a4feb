"""Sections of the document, one module each; `ibc_report.report` puts them together."""
