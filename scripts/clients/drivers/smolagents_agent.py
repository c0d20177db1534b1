"""A smolagents tool-calling agent."""

import sys

from mcp import StdioServerParameters
from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent

_, model, server, question = sys.argv

llm = OpenAIServerModel("scripted", api_base=f"{model}/v1", api_key="dummy")
with MCPClient(StdioServerParameters(command=server, args=["serve"]), structured_output=False) as tools:
    print(ToolCallingAgent(tools=tools, model=llm, max_steps=6).run(question))
