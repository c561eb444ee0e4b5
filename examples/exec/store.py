#!/usr/bin/env python3
"""A small store for `causalcheck fuzz 'exec:python3 examples/exec/store.py'`.

One log for each topic, in memory; a poll answers with its last entry. The protocol is in
docs/exec-protocol.md: one JSON object per line, each request answered by a line with its id.
"""
import json
import sys

logs = {}


def hello(request):
    return {
        "protocol": 1,
        "slots": "contiguous",  # a commit is told its place in the log, without gaps
        "reads": "latest",  # a poll resolves the freshest message
        "level": "total",  # and everybody sees them in one order
        "retries": "none",  # a message never enters the log twice
        "claims": ["read-your-writes", "monotonic-reads", "monotonic-writes",
                   "writes-follow-reads", "real-time"],
        "concurrency": "read-during-commit",
        "in_turn": True,  # this loop answers one request before it reads the next
    }


def reset(request):
    logs.clear()  # only what earlier runs of this very program wrote
    for topic in request["topics"]:
        logs[topic] = []
    return {}


def open_session(request):
    return {}


def commit(request):
    log = logs[request["topic"]]
    slot = len(log)
    log.append({"payload": request["payload"], "slot": slot, "delete": request["delete"]})
    return {"slot": slot}


def poll(request):
    log = logs[request["topic"]]
    return {"entry": log[-1] if log else None}


def drain(request):
    return {"entries": logs[request["topic"]]}


def close(request):
    return {"resume": ""}


def main():
    operations = {"hello": hello, "reset": reset, "open": open_session, "commit": commit,
                  "poll": poll, "drain": drain, "close": close, "shutdown": lambda request: {}}
    for line in sys.stdin:
        request = json.loads(line)
        operation = operations.get(request["op"])
        answer = {"id": request["id"], "outcome": "ok"}
        if operation is None:
            answer.update(outcome="fail", text="there is no " + request["op"])
        else:
            answer.update(operation(request))
        print(json.dumps(answer), flush=True)
        if request["op"] == "shutdown":
            break


if __name__ == "__main__":
    main()
