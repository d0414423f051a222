"""Talking to a served model: over the host's connection, streamed, with the figures of each answer."""

from __future__ import annotations

from edgeops.chat.answer import Answer, Piece
from edgeops.chat.conversation import Conversation, Wishes, talking

__all__ = ["Answer", "Conversation", "Piece", "Wishes", "talking"]
