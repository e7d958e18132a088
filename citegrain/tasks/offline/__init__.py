"""From PDFs to a published build."""
