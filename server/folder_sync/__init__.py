"""Keep the index in sync with the folders of RAG_DOCUMENTS while the server runs."""
