"""A Google ADK agent."""

import asyncio
import os
import sys

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset, StdioConnectionParams, StdioServerParameters
from google.genai import types

_, model, server, question = sys.argv
os.environ |= {"GOOGLE_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": model}


async def main() -> None:
    start = StdioConnectionParams(server_params=StdioServerParameters(command=server, args=["serve"]), timeout=30)
    tools = McpToolset(connection_params=start)
    runner = InMemoryRunner(LlmAgent(name="desk", model="gemini-2.5-flash", tools=[tools]), app_name="desk")
    await runner.session_service.create_session(app_name="desk", user_id="you", session_id="1")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    async for event in runner.run_async(user_id="you", session_id="1", new_message=message):
        for part in (event.content and event.content.parts) or ():
            print(part.text or part.function_call or part.function_response)
    await tools.close()


asyncio.run(main())
