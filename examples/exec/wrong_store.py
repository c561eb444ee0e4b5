#!/usr/bin/env python3
"""The same store with a mistake that is easily made: polls are answered from a copy.

The copy is brought up to date with every third commit only, so a client may not find what it has
just written. Fuzz it, and see it caught:

    causalcheck fuzz 'exec:python3 examples/exec/wrong_store.py'
"""
import store

copies = {}


def commit(request):
    answer = right_commit(request)
    topic = request["topic"]
    if len(store.logs[topic]) % 3 == 0:
        copies[topic] = list(store.logs[topic])
    return answer


def poll(request):
    copy = copies.get(request["topic"])
    return {"entry": copy[-1] if copy else None}


def reset(request):
    copies.clear()
    return right_reset(request)


right_commit, right_reset = store.commit, store.reset
store.commit, store.poll, store.reset = commit, poll, reset

if __name__ == "__main__":
    store.main()
