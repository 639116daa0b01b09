"""A headless Chromium, told what to do by its DevTools protocol."""

import asyncio
import base64
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MOVE = re.compile(r"\x1b\[(\d*);?(\d*)H")
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|[@-Z\\-_=>])")
PATIENCE = 30.0


def browser() -> str | None:
    """Where a Chromium is installed; None where none is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Terminal:
    """What stands on a terminal that was told this: the text alone, where it was put."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, str]] = {}
        self._at = (1, 1)

    def take(self, told: str) -> None:
        """Put what was told where it belongs."""
        before, *moved = MOVE.split(told)
        self._put(before)
        for row, column, text in zip(moved[::3], moved[1::3], moved[2::3], strict=True):
            self._at = int(row or 1), int(column or 1)
            self._put(text)

    @property
    def text(self) -> str:
        """All rows."""
        rows = (self._rows[row] for row in sorted(self._rows))
        return "\n".join("".join(row[column] for column in sorted(row)) for row in rows)

    def _put(self, text: str) -> None:
        row, column = self._at
        for sign in ESCAPES.sub("", text):
            if sign == "\n":
                row += 1
            elif sign == "\r":
                column = 1
            else:
                self._rows.setdefault(row, {})[column] = sign
                column += 1
        self._at = row, column


class Page:
    """One page; what comes to it by WebSocket is kept."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._count = 0
        self._terminal = Terminal()

    async def tell(self, method: str, **parameters: Any) -> Any:
        """What the browser answers."""
        self._count += 1
        answer = self._answers[self._count] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._count, "method": method, "params": parameters})
        return await asyncio.wait_for(answer, PATIENCE)

    async def listen(self) -> None:
        """Take in what the browser says, until it is gone."""
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._answers.pop(said["id"]).set_result(said.get("result"))
            elif said["method"] == "Network.webSocketFrameReceived":
                frame = said["params"]["response"]
                if frame["opcode"] == 2:
                    text = base64.b64decode(frame["payloadData"]).decode("utf-8", "replace")
                    self._terminal.take(text)

    async def shows(self, text: str) -> None:
        """Wait until this stands on the terminal in the page."""
        for _ in range(int(PATIENCE / 0.05)):
            if text in self._terminal.text:
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"never shown: {text}\n{self._terminal.text}")

    async def focus(self) -> None:
        """Give the keys to the terminal in the page, as a click on it does."""
        await self.tell("Page.bringToFront")
        await self.tell("Emulation.setFocusEmulationEnabled", enabled=True)
        focus = "document.querySelector('textarea').focus()"
        await self.tell("Runtime.evaluate", expression=focus)

    async def press(self, key: str) -> None:
        """Press a key, named or by its character."""
        named = {"Enter": (13, "\r"), "Escape": (27, "")}
        # The codes of other signs are those of function keys.
        code, text = named.get(key, (ord(key[0].upper()) if key.isalnum() else 0, key))
        known = {"key": key, "windowsVirtualKeyCode": code}
        await self.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **known)
        await self.tell("Input.dispatchKeyEvent", type="keyUp", **known)

    async def picture(self) -> bytes:
        """What is seen, as PNG."""
        shot = await self.tell("Page.captureScreenshot")
        return base64.b64decode(shot["data"])


@asynccontextmanager
async def page(url: str, room: Path) -> AsyncIterator[Page]:
    """The page at that address, in a browser that ends with it."""
    running = subprocess.Popen(
        [
            *(str(browser()), "--headless=new", "--no-sandbox", "--disable-gpu"),
            *("--remote-debugging-port=0", f"--user-data-dir={room}", "--window-size=1100,800"),
            *("--no-first-run", "--disable-dev-shm-usage", "about:blank"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port = await _port(room / "DevToolsActivePort", running)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                targets = await answer.json()
            where = next(one for one in targets if one["type"] == "page")["webSocketDebuggerUrl"]
            async with session.ws_connect(where, max_msg_size=1 << 26) as socket:
                made = Page(socket)
                listening = asyncio.create_task(made.listen())
                await made.tell("Network.enable")
                await made.tell("Page.enable")
                await made.tell("Page.navigate", url=url)
                yield made
                listening.cancel()
    finally:
        running.terminate()
        running.wait(20)


async def _port(told: Path, running: subprocess.Popen[bytes]) -> str:
    """Where it listens, which it writes to a file."""
    for _ in range(int(PATIENCE / 0.05)):
        if told.exists() and (lines := told.read_text().split()):
            return lines[0]
        assert running.poll() is None, "the browser ended at once"
        await asyncio.sleep(0.05)
    raise AssertionError("the browser does not start")
