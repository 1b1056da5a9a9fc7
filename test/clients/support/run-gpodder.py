"""One run of gPodder in the home that GPODDER_HOME names, with what its window does and its command cannot: synchronizing.

Usage: python3 run-gpodder.py, with a JSON list of [step, arguments...] as standard input. Writes what the home holds afterwards.
"""

import contextlib
import json
import sys

with contextlib.redirect_stdout(sys.stderr):
    import gpodder
    from gpodder import core, my

    gpodder.prefix = '/usr'
    gpodder.ui.cli = True
    app = core.Core()
    client = my.MygPoClient(app.config)


def podcast_of(url):
    return next((each for each in app.model.get_podcasts() if each.url == url), None)


def find_episode(podcast_url, episode_url):
    podcast = podcast_of(podcast_url)
    return podcast and next((each for each in podcast.get_all_episodes() if each.url == episode_url), None)


def subscribe(url):
    app.model.load_podcast(url)
    client.on_subscribe([url])


def unsubscribe(url):
    podcast_of(url).delete()
    client.on_unsubscribe([url])


def play(podcast_url, episode_url, start, end, total, at):
    """As on_playback_full, which takes the time of now: two devices of a test would play in the same second."""
    action = client._convert_played_episode(find_episode(podcast_url, episode_url), start, end, total)
    action.timestamp = at
    client._store.save(action)


def listen(podcast_url, episode_url, position, total, at):
    """What a player reports to gPodder, with the time at which it did."""
    episode = find_episode(podcast_url, episode_url)
    episode.current_position = position
    episode.total_time = total
    episode.playback_mark()
    episode.current_position_updated = at
    episode.last_playback = at
    episode.save()


def sync():
    """What the window does at its start, and again later: exchange, then apply all that came."""
    client.create_device()
    client._worker_proc(forced=True)
    for rewritten in client.get_rewritten_urls():
        podcast = podcast_of(rewritten.old_url)
        if podcast:
            podcast.url = rewritten.new_url
            podcast.save()
    received = client.get_received_actions()
    for action in received:
        podcast = podcast_of(action.url)
        if action.is_add and not podcast:
            app.model.load_podcast(action.url)
        if action.is_remove and podcast:
            podcast.delete()
    client.confirm_received_actions(received)
    client.process_episode_actions(find_episode)


STEPS = {'subscribe': subscribe, 'unsubscribe': unsubscribe, 'play': play, 'listen': listen, 'sync': sync}

with contextlib.redirect_stdout(sys.stderr):
    for step, *arguments in json.load(sys.stdin):
        STEPS[step](*arguments)
    app.db.commit()

json.dump(
    {
        'enabled': app.config.mygpo.enabled,
        'podcasts': sorted(each.url for each in app.model.get_podcasts()),
        'positions': {
            episode.url: episode.current_position
            for podcast in app.model.get_podcasts()
            for episode in podcast.get_all_episodes()
        },
    },
    sys.stdout,
)
