"""An agent that answers missions from documents: any OpenAI-compatible model in front, `ibid serve` behind.

agent = create_rag_agent("Ibid", "Answers from my documents", mission, "./rag_sessions")
async for event in agent.execute(session_id="session-1"):
    print(event.type, event.data)
"""

from .agent import Agent, create_rag_agent
from .events import Event, EventType
from .model import ChatModel, ModelFailed, Reply, ToolCall
from .state import SessionUnusable

__all__ = ["Agent", "ChatModel", "Event", "EventType", "ModelFailed", "Reply", "SessionUnusable", "ToolCall",
           "create_rag_agent"]  # fmt: skip
