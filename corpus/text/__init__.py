"""Text processing: terms, function words, languages, sentences, normalization and Markdown."""
