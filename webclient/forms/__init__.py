"""From a JSON Schema to a form and back to content: pure functions over data, without web, SDK or store."""
