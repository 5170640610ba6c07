"""The shield for use without Holdfast: JSON, C or Python with the answers of the library."""
