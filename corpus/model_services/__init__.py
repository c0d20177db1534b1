"""Model services with OpenAI's protocol: the parts that embedders and generators share."""
