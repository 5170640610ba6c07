"""What pipelines hear: alerts at places of a file, as SARIF and as JUnit."""
