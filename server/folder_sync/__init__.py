"""Follow the folders of RAG_DOCUMENTS while the server runs."""
