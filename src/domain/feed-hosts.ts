/** A host with all that is below it, and what the path behind it begins with if not all of it is meant. */
export type FeedHost = readonly [host: string, path?: RegExp]

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'

const path = (source: string) => new RegExp(`^${source}`, 'i')

/**
 * Where members get feeds of their own, each with an address that opens what they have paid for (protocol.md D56). Only what serves
 * nothing else: a host that has public feeds, too, is named with the path of the others. Left out are hosts whose addresses show it
 * anyway, by a name, a token or a piece that says private. The main source is the list of private feeds that Podcast Index keeps
 * (github.com/Podcastindex-org/private-feed-blocklist).
 */
export const MEMBERS_ONLY: readonly FeedHost[] = [
  ['patreon.com'],
  ['supercast.com'],
  ['supercast.tech'],
  ['supportingcast.fm'],
  ['supportingcast.co'],
  ['supportingcast.cc'],
  ['supportingcast.com'],
  ['memberful.com'],
  ['memberfulcontent.com'],
  ['glow.fm'],
  ['steadyhq.com'],
  ['passport.online'],
  ['rss.stratechery.com'],
  ['my.slate.com', path('/subscriptions/')],
  ['plus.npr.org'],
  ['plus.acast.com'],
  // Behind the name of the show is the listener's key; the feed for everybody is called default.
  ['access.acast.com', path('/(?:rss/)?(?!rss/)[^/]+/(?!default(?:$|[/?#]))[^/]')],
  ['my.libsyn.com'],
  ['helloaudio.fm'],
  ['trystoryboard.com'],
  ['atp.fm', path('/rss/[^/]')],
  ['mysteriousuniverse.org', path('/feed/mu')],
  ['feeds.redcircle.com', path(`/${UUID}/pf/`)],
  ['api.podcache.net', path(`/shows/${UUID}/pf/`)],
  ['anchor.fm', path('/s/[^/]+/podcast/auth(?:$|[/?#])')],
  // Collections of one listener, made for nobody else.
  ['listenlater.fm'],
  // Takes the username and the password of a paid app in the path.
  ['podimo.thijs.sh'],
]

/**
 * Where the address of a public feed is an identifier that looks random. What the path matches is left out of account; the rest of
 * the address is not.
 */
export const PUBLIC_IDENTIFIERS: readonly FeedHost[] = [
  ['omnycontent.com', path(`/d/playlist/${UUID}(?:/${UUID}){1,2}(?=$|/)`)],
  ['feeds.acast.com', path('/public/shows/[\\w-]+')],
  ['feed.pippa.io', path('/public/shows/[\\w-]+')],
  ['feeds.redcircle.com', path(`/${UUID}`)],
  ['api.podcache.net', path(`/shows/${UUID}`)],
  ['youtube.com', path('/feeds/videos\\.xml\\?(?:channel_id|playlist_id|user)=[\\w-]+')],
  ['feeds.soundon.fm', path(`/podcasts/${UUID}`)],
  ['api.soundon.fm', path(`/v2/podcasts/${UUID}`)],
  ['firstory.me', path('/rss/user/\\w+')],
  ['rss.flightcast.com', path('/\\w+')],
  ['feeds.fountain.fm', path('/\\w+')],
  ['rss.castbox.fm', path('/everest/[0-9a-f]{32}')],
  ['wavlake.com', path(`/feed/(?:\\w+/)?${UUID}`)],
  ['feeds.hubhopper.com', path('/[0-9a-f]{32}')],
  ['feeds.audiomeans.fr', path(`/feed/${UUID}`)],
  ['radiofrance-podcast.net', path(`/podcast09/(?:\\w+_)?${UUID}`)],
  ['srf.ch', path(`/feed/podcast/\\w+/${UUID}`)],
]
