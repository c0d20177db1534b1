"""Services of models that speak the protocol of OpenAI: what those who embed and those who write have in common."""
