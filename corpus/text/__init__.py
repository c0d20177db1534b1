"""Text analysis: terms, function words, languages, sentences and Markdown."""
