"""The forms of a document: terminal, Markdown, a page, the cell of a notebook."""
