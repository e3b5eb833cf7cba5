"""A tester's process: one line in, one line out, within a time and a memory. A tester that fails is started again."""
import json
import os
import resource
import select
import signal
import subprocess
import time

MEGABYTE = 1 << 20
LONGEST_ANSWER = 4 * MEGABYTE
BUSY = 20  # times as long a tester may take that works, but has to share the processors with others
KEPT_ERRORS = 2000  # bytes of what it wrote to its standard error


# Asked first of each process, so that its start is not counted as time of an answer.
WARM_UP = {"id": "warm-up", "file_base64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2EK", "agent": "MyBot", "url": "https://example.com/"}


class Failed(Exception):
    """No answer. kind: timeout, memory, crash, protocol. at_start: it did not even answer the first question."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.at_start = kind, False


class Limits:
    def __init__(self, seconds=5.0, megabytes=1024, start=20.0, address_space=None):
        self.seconds, self.megabytes, self.start = seconds, megabytes, start
        self.address_space = address_space  # megabytes for RLIMIT_AS, which some runtimes do not bear


def whole_number(digits):
    """Python refuses to read numbers of thousands of digits. They are none that is expected."""
    return int(digits) if len(digits) < 300 else float(digits)


def tree(pid):
    """The process and its children that run now; empty where /proc is not there."""
    pids = [pid]
    for current in pids:
        try:
            with open(f"/proc/{current}/task/{current}/children", "rb") as children:
                pids += [int(child) for child in children.read().split()]
        except (OSError, ValueError):
            continue
    return pids


def resident(pid):
    """Bytes of memory of a process and its children; 0 where /proc is not there."""
    total = 0
    for current in tree(pid):
        try:
            with open(f"/proc/{current}/statm", "rb") as statm:
                total += int(statm.read().split()[1]) * resource.getpagesize()
        except (OSError, ValueError, IndexError):
            continue
    return total


def processor(pid):
    """The seconds of processor time of a process and its children, and whether one of them wants a processor now."""
    ticks, wants = 0, False
    for current in tree(pid):
        try:
            with open(f"/proc/{current}/stat", "rb") as stat:
                fields = stat.read().rsplit(b")", 1)[1].split()  # a name may have blanks and parentheses
        except (OSError, IndexError):
            continue
        ticks += sum(int(field) for field in fields[11:15])
        wants = wants or fields[0] == b"R"
    return ticks / os.sysconf("SC_CLK_TCK"), wants


def peak(pid):
    """The most memory that the process itself had, in bytes; 0 where /proc is not there."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0


RUNNING = set()  # the process groups of testers


def stop_all():
    for group in list(RUNNING):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


def stop_all_when_killed():
    """A tester has a process group of its own, so a signal to the runner does not reach it."""
    def stop(number, _):
        stop_all()
        os._exit(128 + number)  # threads may be waiting for answers

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


class Tester:
    """Starts `command` when it is asked first, and again after each failure."""

    def __init__(self, command, limits=None, cwd=None, env=None):
        self.command, self.cwd, self.env = command, cwd, env
        self.limits = limits or Limits()
        self.process, self.starts = None, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def ask(self, question, seconds=None, megabytes=None):
        """The answer, an object with the question's id, and the seconds it took."""
        seconds, megabytes = seconds or self.limits.seconds, megabytes or self.limits.megabytes
        if self.process is None:
            self._start()
            try:
                self._answer(WARM_UP, self.limits.start, max(megabytes, self.limits.megabytes))
            except Failed as failure:
                failure.at_start = True
                raise
        started = time.monotonic()
        return self._answer(question, seconds, megabytes), time.monotonic() - started

    def _answer(self, question, seconds, megabytes):
        try:
            line = json.dumps(question).encode() + b"\n"
            return self._checked(self._exchange(line, time.monotonic() + seconds, seconds, megabytes), question)
        except Failed:
            self.stop()
            raise

    def stop(self):
        if self.process is None:
            return
        process, self.process = self.process, None
        try:
            os.killpg(process.pid, signal.SIGKILL)  # it leads a group, so its children end, too
        except ProcessLookupError:
            pass
        RUNNING.discard(process.pid)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def peak(self):
        return peak(self.process.pid) if self.process else 0

    def _start(self):
        self.starts += 1
        self.received, self.errors = b"", b""
        try:
            # On Linux the limits are set from outside: code between fork and exec can block where there are threads.
            self.process = subprocess.Popen(self.command, cwd=self.cwd, env=self.env, bufsize=0, start_new_session=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            preexec_fn=None if hasattr(resource, "prlimit") else self._limit)
        except OSError as error:
            failure = Failed("crash", f"{self.command[0]} cannot be started: {error.strerror}")
            failure.at_start = True
            raise failure from None
        RUNNING.add(self.process.pid)
        if hasattr(resource, "prlimit"):
            self._limit(lambda kind, limits: resource.prlimit(self.process.pid, kind, limits))
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            os.set_blocking(pipe.fileno(), False)

    def _limit(self, limit=resource.setrlimit):
        try:
            limit(resource.RLIMIT_CORE, (0, 0))
            if self.limits.address_space:
                limit(resource.RLIMIT_AS, (self.limits.address_space * MEGABYTE,) * 2)
        except ProcessLookupError:
            pass  # it has ended already, which is noticed when it is asked

    def _exchange(self, unsent, deadline, seconds, megabytes):
        stdin, stdout, stderr = (p.fileno() for p in (self.process.stdin, self.process.stdout, self.process.stderr))
        unsent, watched, wait = memoryview(unsent), [stdout, stderr], 0.02
        before, last = processor(self.process.pid)[0], time.monotonic() + BUSY * seconds
        while b"\n" not in self.received:
            left = deadline - time.monotonic()
            if left <= 0:
                used, wants = processor(self.process.pid)
                if not wants or used - before >= seconds or time.monotonic() >= last:
                    raise Failed("timeout", f"no answer in {seconds:g} s")
                # Others have the processors: it gets what is left of its time.
                deadline, left = time.monotonic() + max(seconds - (used - before), 0.02), 0.02
            readable, writable, _ = select.select(watched, [stdin] if unsent else [], [], min(left, wait))
            if not readable and not writable:
                used = resident(self.process.pid)
                if used > megabytes * MEGABYTE:
                    raise Failed("memory", f"{used // MEGABYTE} MB of memory, more than {megabytes} MB")
                wait = min(wait * 1.5, 0.2)
            if writable:
                try:
                    unsent = unsent[os.write(stdin, unsent):]
                except BrokenPipeError:
                    unsent = unsent[len(unsent):]  # its end is seen at its standard output
            for pipe in readable:
                self._read(pipe, stdout, watched)
        answer, self.received = self.received.split(b"\n", 1)
        used = max(self.peak(), 0)
        if used > megabytes * MEGABYTE:
            raise Failed("memory", f"{used // MEGABYTE} MB of memory, more than {megabytes} MB")
        if unsent:
            raise Failed("protocol", "it answered before it had read the whole question")
        return answer

    def _read(self, pipe, stdout, watched):
        chunk = os.read(pipe, 1 << 16)
        if pipe != stdout:
            self.errors = (self.errors + chunk)[-KEPT_ERRORS:]
            if not chunk:
                watched.remove(pipe)
        elif chunk:
            self.received += chunk
            if len(self.received) > LONGEST_ANSWER:
                raise Failed("protocol", f"an answer of more than {LONGEST_ANSWER} bytes")
        else:
            raise Failed("crash", self._ending())

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
            answer = json.loads(raw, parse_int=whole_number)
        except (ValueError, RecursionError):
            raise Failed("protocol", f"not a line of JSON: {raw[:100]!r}") from None
        if not isinstance(answer, dict) or answer.get("id") != question["id"]:
            raise Failed("protocol", f"not the answer to {question['id']}: {raw[:100]!r}")
        if self.received:
            raise Failed("protocol", f"more than one line for one question: {self.received[:100]!r}")
        if not isinstance(answer.get("allow"), bool) and not isinstance(answer.get("error"), str):
            raise Failed("protocol", f"neither \"allow\": true or false nor \"error\": {raw[:100]!r}")
        return answer
