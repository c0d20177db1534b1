"""Model services that speak OpenAI's protocol: the parts that embedders and generators share."""
