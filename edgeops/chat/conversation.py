"""A conversation: what was said so far, and the connection that it goes over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import gevent

from edgeops import engine
from edgeops.chat.answer import Answer, Piece, stream
from edgeops.engine import Access, Session
from edgeops.engine.forward import forwarded, reached_at
from edgeops.errors import EdgeopsError
from edgeops.inventory import Host
from edgeops.secret_files import read_secret

T = TypeVar("T")

LONGEST_S = 7 * 24 * 3600.0


@dataclass(frozen=True)
class Wishes:
    """How answers shall be: at most so many tokens; with reasoning first, where the model can."""

    max_tokens: int = 1024
    thinking: bool = False


@dataclass
class Conversation:
    """With the model called ``model`` behind ``url``. ``key`` is its API key or empty, and is never shown."""

    url: str
    model: str
    wishes: Wishes
    key: str = field(default="", repr=False)
    messages: list[dict[str, str]] = field(default_factory=list)
    _speaking: gevent.Greenlet | None = None

    def say(self, text: str, show: Callable[[Piece], None]) -> Answer:
        """Ask, show the answer as it comes, remember both. Raises EdgeopsError, and then nothing is remembered."""
        answer = Answer()
        asked = {"role": "user", "content": text}
        self._speaking = gevent.spawn(self._listen, [*self.messages, asked], answer, show)
        try:
            error = self._speaking.get()
        finally:
            self._speaking = None
        if isinstance(error, BaseException) and not isinstance(error, gevent.GreenletExit):
            raise error
        if answer.text:
            self.messages += [asked, {"role": "assistant", "content": answer.text}]
        return answer

    def cut(self) -> bool:
        """Stop the answer that is coming. False when none is."""
        if self._speaking is None:
            return False
        self._speaking.kill(block=False)
        return True

    def _listen(
        self, messages: list[dict[str, str]], answer: Answer, show: Callable[[Piece], None]
    ) -> EdgeopsError | OSError | None:
        """What went wrong is handed back: gevent would print it where it is raised."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "max_tokens": self.wishes.max_tokens,
            "enable_thinking": self.wishes.thinking,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        try:
            for piece in stream(self.url, body, self.key, answer):
                show(piece)
        except gevent.GreenletExit:
            answer.cut = True
        except (EdgeopsError, OSError) as error:
            return error
        return None


def talking(host: Host, wishes: Wishes, access: Access, talk: Callable[[Conversation], T]) -> T:
    """Connect to ``host``, and call ``talk`` with a conversation over that connection. Raises EdgeopsError."""
    settings = host.settings
    key = read_secret(settings.api_key_file)

    def work(session: Session) -> T:
        with forwarded(session, reached_at(settings.bind), settings.port) as way:
            url = f"http://127.0.0.1:{way.port}/v1/chat/completions"
            return talk(Conversation(url, settings.name_served, wishes, key))

    result = engine.run([host], work, deadline=LONGEST_S, access=access)[host.name]
    if result.status != "ok" or result.value is None:
        if isinstance(result.cause, EdgeopsError):
            raise result.cause
        raise EdgeopsError(f"{host.name}: {result.error or result.status}", result.remedy)
    return result.value
