"""The text of scenario files: YAML with places, names, and the checks of shape that every section shares."""
