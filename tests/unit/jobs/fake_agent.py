"""A child that misbehaves in the way that its argument names. Run by path."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

PROTOCOL = 1


def say(message_type: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"type": message_type, **fields}) + "\n")
    sys.stdout.flush()


def request() -> int:
    """The number of the next request; ends the program where there is none."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    number = json.loads(line)["request"]
    assert isinstance(number, int)
    return number


def hello() -> None:
    say("hello", protocol=PROTOCOL, python="3", platform=sys.platform)


def echo() -> None:
    hello()
    while True:
        number = request()
        say("progress", request=number, phase="echo", done=1, total=1)
        say("log", request=number, text="a remark")
        say("result", request=number, value={"pid": os.getpid(), "number": number})


def environment() -> None:
    hello()
    say("result", request=request(), value=dict(os.environ))


def segfault() -> None:
    hello()
    request()
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)


def status() -> None:
    hello()
    request()
    sys.exit(2)


def silent_exit() -> None:
    sys.exit(0)


def hang() -> None:
    hello()
    request()
    time.sleep(600)


def stubborn() -> None:
    """Neither the end of stdin nor a polite signal ends it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hello()
    say("progress", request=request(), phase="stubborn")
    while True:
        time.sleep(600)


def polite() -> None:
    """Answers the end of stdin."""
    hello()
    number = request()
    say("progress", request=number, phase="polite")
    sys.stdin.read()
    say("cancelled", request=number)


def noise() -> None:
    """Prints what is not ours, first of all without a newline."""
    sys.stdout.write("Welcome to this interpreter\n[1, 2]\n{}\n\xff\nno newline")
    sys.stdout.write("\n")
    hello()
    number = request()
    sys.stdout.write("more noise\n")
    say("result", request=number, value={})


def half_a_line() -> None:
    hello()
    number = request()
    sys.stdout.write(json.dumps({"type": "result", "request": number, "value": {}})[:-4])
    sys.stdout.flush()


def wrong_version() -> None:
    say("hello", protocol=PROTOCOL + 1)
    time.sleep(600)


def no_hello() -> None:
    say("result", request=request(), value={})
    time.sleep(600)


def unknown_type() -> None:
    hello()
    say("surprise", request=request())
    time.sleep(600)


def wrong_field() -> None:
    hello()
    say("result", request=request(), value="text")
    time.sleep(600)


def huge_line() -> None:
    hello()
    say("log", request=request(), text="x" * (40 << 20))
    time.sleep(600)


def flood() -> None:
    """More messages and more on stderr than any pipe or queue holds."""
    hello()
    number = request()
    for i in range(20_000):
        say("progress", request=number, phase="flood", done=i, total=20_000)
        sys.stderr.write("x" * 100 + f"{i}\n")
    say("result", request=number, value={})
    sys.stdin.read()


def endless_flood() -> None:
    hello()
    number = request()
    while True:
        say("progress", request=number, phase="flood")


def closed_output() -> None:
    """Closes its output and lives on."""
    hello()
    request()
    os.close(1)
    time.sleep(600)


def memory() -> None:
    hello()
    while True:
        number = request()
        try:
            size = len(bytearray(1 << 30))
        except MemoryError:
            say("error", request=number, kind="memory", message="out of memory")
        else:
            say("result", request=number, value={"size": size})


def deaf() -> None:
    """Never reads its stdin."""
    hello()
    time.sleep(600)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
