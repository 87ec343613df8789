"""Our own JSON: tool definitions, schemas, results and their texts. Standard library only."""
