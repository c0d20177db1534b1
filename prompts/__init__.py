"""Prompts as Markdown files, and functions that fill them in. Imports nothing else of this project."""

from prompts.rag_system_prompt import PROMPT_VERSION, RAG_SYSTEM_PROMPT, render, server_instructions

__all__ = ["PROMPT_VERSION", "RAG_SYSTEM_PROMPT", "render", "server_instructions"]
