"""The document's form alone: pydantic records that any room may read."""
