"""Calls methods of mygpoclient, as one program run: one client, and so at most three challenges.

Usage: python3 call-mygpoclient.py URL USERNAME PASSWORD, with a JSON list of [method, arguments...] as standard input. Writes
the JSON list of what they return; objects of the library as their attributes.
"""

import json
import sys

from mygpoclient import api, public


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return plain(vars(value)) if hasattr(value, '__dict__') else value


url, username, password = sys.argv[1:]
private = api.MygPodderClient(username, password, url)
directory = public.PublicClient(url)


def call(method, *arguments):
    if method == 'upload_episode_actions':
        return private.upload_episode_actions([api.EpisodeAction.from_dictionary(each) for each in arguments[0]])
    owner = private if hasattr(private, method) else directory
    return getattr(owner, method)(*arguments)


json.dump([plain(call(*step)) for step in json.load(sys.stdin)], sys.stdout)
