"""A tester's process: one line in, one line out, within a time and a memory. A tester that fails is started again."""
import json
import os
import resource
import select
import signal
import subprocess
import time

LONGEST_ANSWER = 4 << 20
KEPT_ERRORS = 2000  # bytes of what it wrote to its standard error
START = 20.0  # seconds for the first question of a process
# Asked first of each process, so that its start is not counted as time of an answer.
WARM_UP = {"id": "warm-up", "file_base64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2EK", "agent": "MyBot", "url": "https://example.com/"}
RUNNING = set()  # the process groups of testers


class Failed(Exception):
    """No answer. kind: slow or crashed. at_start: it did not even answer the first question."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.at_start = kind, False


def stop_all_when_killed():
    """A tester has a process group of its own, so a signal to the runner does not reach it."""
    def stop(number, _):
        for group in list(RUNNING):
            end(group)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Tester:
    """Starts `command` when it is asked first, and again after each failure."""

    def __init__(self, command, seconds=5.0, megabytes=1024, cwd=None, slow=1.0):
        self.command, self.cwd, self.slow = command, cwd, slow
        self.seconds, self.megabytes = seconds, megabytes
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def ask(self, question, seconds=None):
        """The answer, an object with the question's id."""
        if self.process is None:
            try:
                self._start()
                self._answer(WARM_UP, START)
            except Failed as failure:
                failure.at_start = True
                raise
        return self._answer(question, seconds or self.seconds)

    def stop(self):
        if self.process is None:
            return
        process, self.process = self.process, None
        end(process.pid)  # it leads a group, so its children end, too
        RUNNING.discard(process.pid)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def _start(self):
        self.received, self.errors = b"", b""
        # The order of some testers' sets depends on the hash seed.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        try:
            self.process = subprocess.Popen(self.command, cwd=self.cwd, env=environment, bufsize=0, start_new_session=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            raise Failed("crashed", f"{self.command[0]} cannot be started: {error.strerror}") from None
        RUNNING.add(self.process.pid)
        # From outside, since code between fork and exec can block where there are threads. Linux has it.
        if hasattr(resource, "prlimit"):
            try:
                resource.prlimit(self.process.pid, resource.RLIMIT_CORE, (0, 0))
                resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (self.megabytes << 20,) * 2)
            except ProcessLookupError:
                pass  # it has ended already, which is noticed when it is asked
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            os.set_blocking(pipe.fileno(), False)

    def _answer(self, question, seconds):
        try:
            return self._checked(self._exchange(json.dumps(question).encode() + b"\n", seconds * self.slow), question)
        except Failed:
            self.stop()
            raise

    def _exchange(self, line, seconds):
        stdin, stdout, stderr = (p.fileno() for p in (self.process.stdin, self.process.stdout, self.process.stderr))
        unsent, watched, deadline = memoryview(line), [stdout, stderr], time.monotonic() + seconds
        while b"\n" not in self.received:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Failed("slow", f"no answer in {seconds:g} s")
            readable, writable, _ = select.select(watched, [stdin] if unsent else [], [], left)
            if writable:
                try:
                    unsent = unsent[os.write(stdin, unsent):]
                except BrokenPipeError:
                    unsent = unsent[len(unsent):]  # its end is seen at its standard output
            for pipe in readable:
                chunk = os.read(pipe, 1 << 16)
                if pipe == stderr:
                    self.errors = (self.errors + chunk)[-KEPT_ERRORS:]
                    if not chunk:
                        watched.remove(stderr)
                elif not chunk:
                    raise Failed("crashed", self._ending())
                self.received += chunk if pipe == stdout else b""
            if len(self.received) > LONGEST_ANSWER:
                raise Failed("crashed", f"an answer of more than {LONGEST_ANSWER} bytes")
        if unsent:
            raise Failed("crashed", "it answered before it had read the whole question")
        answer, self.received = self.received.split(b"\n", 1)
        return answer

    def _ending(self):
        """How it ended, with the last line of its standard error."""
        try:
            code = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "it closed its standard output"
        try:
            self.errors += os.read(self.process.stderr.fileno(), KEPT_ERRORS)
        except OSError:
            pass
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        lines = self.errors.decode("utf-8", "replace").strip().splitlines()
        return f"it ended with {how}" + (f": {lines[-1][:300]}" if lines else "")

    def _checked(self, raw, question):
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            raise Failed("crashed", f"not a line of JSON: {raw[:100]!r}") from None
        if not isinstance(answer, dict) or answer.get("id") != question["id"]:
            raise Failed("crashed", f"not the answer to {question['id']}: {raw[:100]!r}")
        if self.received:
            raise Failed("crashed", f"more than one line for one question: {self.received[:100]!r}")
        if not isinstance(answer.get("allow"), bool) and not isinstance(answer.get("error"), str):
            raise Failed("crashed", f"neither \"allow\": true or false nor \"error\": {raw[:100]!r}")
        return answer
