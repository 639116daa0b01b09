"""Does to a pair of real engines what the steps of a scenario say."""

import contextlib
import os
import random
import signal
import threading
import time
import uuid
from typing import assert_never

import msgspec

from lab import side_channel, stranger
from lab.client import Ask, Completion, complete, random_prompt
from lab.engine import Engine, await_ready
from lab.errors import LabError
from lab.faults import Fault
from lab.knobs import Knobs
from lab.pair import Pair
from lab.scenario import (
    Break,
    Knock,
    Mend,
    Restart,
    Send,
    Serve,
    Signal,
    Step,
    Visit,
    Wait,
)
from lab.watcher import Watcher

SERVED = 120.0
"""Seconds that a healthy request may take on a busy machine."""


class Stage:
    """One performance: what it broke is whole again when its block is over."""

    def __init__(self, pair: Pair, watcher: Watcher, name: str) -> None:
        self._pair = pair
        self._watcher = watcher
        self._name = name
        self._clients: list[threading.Thread] = []
        self._faults: dict[str, list[Fault]] = {}
        self._frozen: list[int] = []
        self._prompts: dict[str, list[int]] = {}
        self._whole = contextlib.ExitStack()
        self.ids: dict[str, list[str]] = {}
        """The ids of the requests that were sent, by what the scenario calls them."""

        self.answers: list[Completion] = []

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *error: object) -> None:
        for pid in self._frozen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        for engine in self._pair.engines:
            if engine.launch.engine_id in self._faults:
                engine.faults.put()
        self._whole.close()
        for client in self._clients:
            client.join(60)

    def perform(self, step: Step) -> None:
        """Do what the step says.

        Raises:
            LabError: if what it waits for did not happen.
        """
        match step:
            case Send():
                self._send(step)
            case Break():
                self._break(step.engine, self._about(step.fault))
            case Mend():
                self._faults.pop(step.engine, None)
                self._engine(step.engine).faults.put()
            case Signal():
                self._signal(step)
            case Restart():
                self._restart(step)
            case Visit():
                self._visit(step)
            case Knock():
                port = self._engine(step.engine).launch.side_port
                with contextlib.suppress(TimeoutError):
                    side_channel.knock(port, b"no word of vLLM's", patience=1)
            case Wait():
                self._wait(step)
            case Serve():
                self._serve(step)
            case _:
                assert_never(step)

    def _engine(self, name: str) -> Engine:
        return next(one for one in self._pair.engines if one.launch.engine_id == name)

    def _send(self, step: Send) -> None:
        prompt = self._prompts.get(step.same_prompt_as) or random_prompt(step.prompt)
        self._prompts[step.name] = prompt
        knobs = Knobs(producer=step.producer, consumer=step.consumer)
        for _ in range(step.count):
            given = self.ids.get(step.same_id_as)
            named = given[0] if given else f"lab-{self._name}-{step.name}-{uuid.uuid4().hex[:8]}"
            self.ids.setdefault(step.name, []).append(named)
            ask = Ask(
                prompt=prompt if step.count == 1 else random_prompt(step.prompt),
                max_tokens=step.answer,
                request_id=named,
                headers=knobs.headers,
            )
            self._ask(ask, step.seconds)

    def _ask(self, ask: Ask, seconds: float) -> None:
        def wait() -> None:
            with contextlib.suppress(TimeoutError, OSError):
                self.answers.append(complete(self._pair.url, ask, seconds))

        client = threading.Thread(target=wait, daemon=True)
        client.start()
        self._clients.append(client)

    def _break(self, name: str, fault: Fault) -> None:
        faults = self._faults.setdefault(name, [])
        faults.append(fault)
        self._engine(name).faults.put(*faults)

    def _about(self, fault: Fault) -> Fault:
        """The fault, with `$a` replaced by the id of that request."""
        return msgspec.structs.replace(fault, about=self._named(fault.about))

    def _named(self, text: str) -> str:
        """The text with the ids of requests in the place of what the scenario calls them."""
        for name, ids in self.ids.items():
            text = text.replace(f"${name}", ids[0])
        return text

    def _signal(self, step: Signal) -> None:
        pids = self._engine(step.engine).pids
        number = signal.Signals[step.signal]
        for process, pid in pids.items():
            if not step.process or process == step.process:
                os.kill(pid, number)
                if number == signal.SIGSTOP:
                    self._frozen.append(pid)

    def _restart(self, step: Restart) -> None:
        old = self._engine(step.engine)
        if step.gently:
            os.kill(old.pids["api"], signal.SIGTERM)
        else:
            old.signal(signal.SIGKILL)
        old.stop()
        others = [one for one in self._pair.engines if one is not old]
        again = self._pair.replace(old)
        for other in others:
            # One that waits for KV steps without a pause, and would slow the start.
            other.signal(signal.SIGSTOP)
        try:
            await_ready([again])
        finally:
            for other in others:
                other.signal(signal.SIGCONT)

    def _visit(self, step: Visit) -> None:
        words = {
            key: self._named(value) if isinstance(value, str) else value
            for key, value in step.words.items()
        }
        port = self._engine(step.engine).launch.side_port
        self._whole.enter_context(stranger.visiting(port, stranger.registration(**words)))

    def _wait(self, step: Wait) -> None:
        if not step.event:
            time.sleep(step.seconds)
            return
        request = self.ids[step.of][0]
        told = self._watcher.until(
            lambda: self._watcher.has_told(step.event, request), step.seconds
        )
        if not told:
            raise LabError(f"{step.event} was not told of {request} within {step.seconds:g} s.")

    def _serve(self, step: Serve) -> None:
        """Healthy requests; raises LabError where one is not answered."""
        left = step.count
        while left > 0:
            now = min(left, step.at_once)
            asks = [
                Ask(
                    prompt=random_prompt(step.prompt, random.Random()),
                    max_tokens=4,
                    request_id=f"lab-{self._name}-healthy-{uuid.uuid4().hex[:8]}",
                )
                for _ in range(now)
            ]
            before = len(self.answers)
            for ask in asks:
                self._ask(ask, SERVED)
            for client in self._clients[-now:]:
                client.join(SERVED)
            answered = self.answers[before:]
            if len(answered) < now or not all(one.answered for one in answered):
                raise LabError("A healthy request was not answered.")
            left -= now
