"""A real HTTP server that speaks the Chat Completions protocol, and misbehaves as servers do.

    with ChatServer(replies=["Hello [1]."], images="one") as server:
        OpenAICompatible(ModelConfig(model="tester", base_url=server.url, api_key=server.key))

Sources of the misbehaviours: llama.cpp 13566 (pictures refused with 500), vllm 13397 (one picture a
request), vLLM's refusal of requests longer than its `max_model_len`, OpenAI's API reference (401,
404, 429 with Retry-After, `max_completion_tokens`), and what proxies do to streams.
"""

from __future__ import annotations

import json
import re
import select
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

LLAMA_NO_IMAGES = (
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
)
LLAMA_LOADING = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
TOO_LONG = (
    "This model's maximum context length is {} tokens. Please reduce the length of the messages."
)
VLLM_ONE_IMAGE = "At most 1 image(s) may be provided in one request."


@dataclass
class ChatServer:
    """Set the fields, enter, look at `requests`, `headers` and `disconnected`.

    `busy`, `failing` and `loading` count the requests answered with 429, 500 and 503 before it
    works; `slow` is in seconds before the first byte; `context` is in tokens of four characters,
    what is left free for the reply among them, as vLLM counts; `listed` is the list of models, None
    for a server without one; `breaks_after` counts the pieces before a stream breaks, and
    `silently` makes that break look like its end.
    """

    replies: list[str] = field(default_factory=lambda: ["It weighs 12 kg [1]."])
    model: str = "tester"
    key: str = "sk-test-0123456789abcdef"
    images: Literal["any", "one", "refused"] = "any"
    json_mode: Literal["schema", "object", "text"] = "schema"
    busy: int = 0
    failing: int = 0
    loading: int = 0
    retry_after: str = "0.05"
    slow: float = 0.0
    breaks_after: int | None = None
    silently: bool = False
    endless: bool = False
    truncated: bool = False
    new_parameters: bool = False
    garbage: bool = False
    web_page: bool = False
    context: int = 100_000
    listed: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lists_read = 0
        self.times: list[float] = []
        self.disconnected = threading.Event()
        self._left = deque(self.replies)

    def __enter__(self) -> ChatServer:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.daemon_threads = True
        self._http.chat = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def answer_with(self, *replies: str) -> None:
        """Replies from now on."""
        self._left = deque(replies)

    def next_reply(self) -> str:
        return self._left.popleft() if len(self._left) > 1 else self._left[0]

    def refusal(self, request: dict[str, Any], key: str) -> tuple[int, dict[str, Any]] | None:
        """(status, error) if the request is refused."""
        for rule in (self._access, self._load, self._content, self._parameters):
            if refused := rule(request, key):
                return refused
        return None

    def _access(self, request: dict[str, Any], key: str) -> tuple[int, dict[str, Any]] | None:
        if key != f"Bearer {self.key}":
            return 401, _error(f"Incorrect API key provided: {key}.", "invalid_api_key")
        if request["model"] != self.model:
            text = f"The model `{request['model']}` does not exist."
            return 404, _error(text, "model_not_found")
        return None

    def _load(self, request: dict[str, Any], key: str) -> tuple[int, dict[str, Any]] | None:
        if self.busy:
            self.busy -= 1
            return 429, _error(f"Rate limit reached for {key}", "rate_limit_exceeded")
        if self.loading:
            self.loading -= 1
            return 503, LLAMA_LOADING
        if self.failing:
            self.failing -= 1
            return 500, _error(f"internal error, saw {key}")
        reply = request.get("max_tokens", 0)
        if count_characters(request) // 4 + reply > self.context:
            return 400, _error(TOO_LONG.format(self.context), "context_length_exceeded")
        return None

    def _content(self, request: dict[str, Any], _: str) -> tuple[int, dict[str, Any]] | None:
        sent = count_images(request)
        if self.images == "refused" and sent:
            return 500, _error(LLAMA_NO_IMAGES)
        if self.images == "one" and sent > 1:
            return 400, {"object": "error", "message": VLLM_ONE_IMAGE, "code": 400}
        return None

    def _parameters(self, request: dict[str, Any], _: str) -> tuple[int, dict[str, Any]] | None:
        wanted = request.get("response_format", {}).get("type", "text")
        if wanted == "json_schema" and self.json_mode != "schema":
            return 400, _error("'response_format' of type json_schema is not supported")
        if wanted == "json_object" and self.json_mode == "text":
            return 400, _error("'response_format.type' must be 'text'")
        if self.new_parameters and "max_tokens" in request:
            text = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return 400, _error(text, "unsupported_parameter")
        if self.new_parameters and "temperature" in request:
            text = "Unsupported value: 'temperature' does not support 0 with this model."
            return 400, _error(text, "unsupported_value")
        return None


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "code": code}}


def count_images(request: dict[str, Any]) -> int:
    return sum(part["type"] == "image_url" for part in _parts(request))


def count_characters(request: dict[str, Any]) -> int:
    """Of all messages, pictures left out."""
    return sum(len(part.get("text", "")) for part in _parts(request))


def _parts(request: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message["content"] for message in request["messages"]]
    return [
        part
        for content in contents
        for part in (content if isinstance(content, list) else [{"type": "text", "text": content}])
    ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def chat(self) -> ChatServer:
        return self.server.chat  # type: ignore[attr-defined, no-any-return]

    def log_message(self, *_: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self.chat.lists_read += 1
        if self.chat.loading:
            self._send(503, LLAMA_LOADING)
        elif self.chat.listed is None or self.path != "/v1/models":
            self._send(404, _error("Not Found"))
        else:
            self._send(200, {"object": "list", "data": self.chat.listed})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.chat.requests.append(request)
        self.chat.headers.append({k.lower(): v for k, v in self.headers.items()})
        self.chat.times.append(time.monotonic())
        if self._left_within(self.chat.slow):
            self.chat.disconnected.set()
            return
        if self.path != "/v1/chat/completions":
            self._send(404, {"error": {"message": "File Not Found", "type": "not_found_error"}})
        elif self.chat.web_page:
            self._send_bytes(200, b"<html>Welcome</html>", "text/html")
        elif self.chat.garbage:
            self._send_bytes(200, b'{"id": "x", "choi', "application/json")
        elif refused := self.chat.refusal(request, self.headers.get("Authorization", "")):
            self._send(*refused)
        elif request.get("stream"):
            self._stream(request)
        else:
            self._send(200, _completion(self.chat.next_reply(), self.chat.truncated))

    def _left_within(self, seconds: float) -> bool:
        """Whether the client hangs up within so long."""
        return bool(
            select.select([self.connection], [], [], seconds)[0]
        ) and not self.connection.recv(1, socket.MSG_PEEK)

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._send_bytes(status, json.dumps(body).encode(), "application/json")

    def _send_bytes(self, status: int, body: bytes, kind: str) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", self.chat.retry_after)
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.chat.disconnected.set()

    def _stream(self, request: dict[str, Any]) -> None:
        chunked = not self.chat.silently
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header(
            *(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close"))
        )
        self.end_headers()
        self.close_connection = True
        try:
            for event in self._events(request):
                data = f"data: {event}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
                self.wfile.flush()
            if chunked and self.chat.breaks_after is None:
                self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.chat.disconnected.set()

    def _events(self, request: dict[str, Any]) -> Any:
        # Before blanks, and between the halves of a sign, as servers in JavaScript do.
        pieces = re.split(r"(?= )|(?<=[\ud800-\udbff])", self.chat.next_reply())
        for number, piece in enumerate(pieces):
            if number == self.chat.breaks_after:
                return
            yield json.dumps(_chunk({"content": piece}))
        while self.chat.endless:
            time.sleep(0.005)
            yield json.dumps(_chunk({"content": " more"}))
        yield json.dumps(_chunk({}, "length" if self.chat.truncated else "stop"))
        if "stream_options" in request:
            yield json.dumps({**_chunk({}), "choices": [], "usage": _USAGE})
        yield "[DONE]"


_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def _completion(text: str, truncated: bool) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    finish = "length" if truncated else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": "tester"}
    return {**head, "choices": [choice], "usage": _USAGE}


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "tester"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
