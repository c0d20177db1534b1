"""Model services that use OpenAI's protocol: code that embedders and generators share."""
