"""What a report says, one module for each kind of result: blocks of text, tables and figures."""
