"""The catalog's website: the mkdocs plugin, its pages, the build."""
