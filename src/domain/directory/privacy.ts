import { isHighEntropy } from './entropy.ts'

/** All that decides whether a podcast is private. */
export interface PrivacyFacts {
  /** Its address is a secret, by `isSecretUrl`. */
  readonly isSecret: boolean
  /** Its feed asks not to be in directories. */
  readonly isBlocked: boolean
  /** Active users with at least one device that has it, and how many of them have chosen to publish or to hide that. */
  readonly subscribers: number
  readonly publishing: number
  readonly hiding: number
  /** Somebody who has it or had it hides it, or did so until the account was removed. */
  readonly isHiddenBySomebody: boolean
}

/**
 * Whether a podcast is for its subscribers alone (docs/protocol.md#D56). What is secret or blocked is private unless all who have
 * it publish it. Anything else is public unless all who have it hide it or, when nobody has it any more, somebody hid it.
 */
export function isPrivatePodcast(facts: PrivacyFacts): boolean {
  const { isSecret, isBlocked, subscribers, publishing, hiding, isHiddenBySomebody } = facts
  if (isSecret || isBlocked) return subscribers === 0 || publishing < subscribers
  return subscribers === 0 ? isHiddenBySomebody : hiding === subscribers
}

/** What decides whether one person may see a podcast. */
export interface Viewing {
  readonly isPrivate: boolean
  /** The person has it on a device. */
  readonly isOwn: boolean
  /** It comes from the private network of the server, and nobody here has it or had it. */
  readonly isInside: boolean
  readonly isAnonymous: boolean
}

/** Subscribers see their own podcasts whatever they are; what is inside is told to nobody who is not signed in. */
export function isHiddenFrom({ isPrivate, isOwn, isInside, isAnonymous }: Viewing): boolean {
  return (isPrivate && !isOwn) || (isInside && isAnonymous)
}

/** Counts up with each change of these rules, also of what they look up elsewhere, so that feeds are classified anew. */
export const CLASSIFIER_VERSION = 1

const PARTS = /^https?:\/\/([^/?#]*)(.*)$/is
const PORT_OR_DOT = /\.?(?::\d*)?$/

/** How sites call what is not for everybody, as the first label of a host or as a whole piece of a path. */
const CLOSED = '(?:private|premium|members|subscribers|supporters|patrons)'
const CLOSED_HOST = new RegExp(`^${CLOSED}\\.`)
const CLOSED_PATH = new RegExp(`^[^?#]*/${CLOSED}(?:[-_](?:only|feeds?|rss|podcasts?))*(?:$|[/.?#])`, 'i')

/** An escape, also of an escape. */
const ESCAPE = /%(?:25)*([0-9a-f]{2})/gi
const NOT_IN_PIECES = /[^\w\-~+]+/
const NAMES = /(?:^|[/?&;#])([^/?&;#=]*)=/g
const NESTED_USERINFO = /:\/\/[^/?#]*@/

/** Names that leave no doubt wherever they are in the name of a parameter. */
const SECRET_NAME =
  /token|secret|passw|passphrase|signature|credential|session|sessid|oauth|jwt|hmac|(?:api|access|rss|feed|user)key/

/** Names that are one of the words of the name of a parameter. A code of a country or language is none that opens anything. */
const SECRET_WORD =
  /(?:^|[^a-z])(?:auth|authkey|authorization|key|keys|sig|sign|pass|pwd|pw|sid|uid|uuid|user|users|username|userid|login|email|member|memberid|subscriber|customer|licen[cs]e|hash|access|(?<!(?:country|lang|language|region|area|post|zip|station|channel|show)[^a-z])code|pin|otp|loginState|private|hdnea|hdnts)(?![a-z])/

/**
 * True if the address of a feed tells who hears it or opens what is not for everybody (docs/protocol.md#D56): a parameter that says so by
 * its name, a piece of the path, query or fragment that looks random, a place where only members get feeds. In doubt true: the
 * subscriber can publish the feed. That a host is in a private network says nothing, and names of hosts are no secrets.
 * `url` is as `sanitizeUrl` leaves it; total; linear.
 */
export function isSecretUrl(url: string): boolean {
  const [, authority = '', rest = url] = PARTS.exec(url) ?? []
  const host = authority.toLowerCase().replace(PORT_OR_DOT, '')
  if (isForMembers(host, rest)) return true
  const text = decoded(withoutIdentifier(host, rest))
  return NESTED_USERINFO.test(text) || hasSecretName(text) || text.split(NOT_IN_PIECES).some(isHighEntropy)
}

function isForMembers(host: string, rest: string): boolean {
  return CLOSED_HOST.test(host) || CLOSED_PATH.test(rest) || MEMBERS_ONLY.some((known) => isAt(known, host, rest))
}

function withoutIdentifier(host: string, rest: string): string {
  const [, path] = PUBLIC_IDENTIFIERS.find((known) => isAt(known, host, rest)) ?? []
  return path === undefined ? rest : rest.replace(path, '')
}

function isAt([name, path]: FeedHost, host: string, rest: string): boolean {
  return (host === name || host.endsWith(`.${name}`)) && (path === undefined || path.test(rest))
}

/** ASCII as it was meant, so that an address inside an address is one; letters of other scripts are readable and separate pieces. */
function decoded(rest: string): string {
  return rest.replaceAll(ESCAPE, (_, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code < 0x80 ? String.fromCharCode(code) : ' '
  })
}

function hasSecretName(text: string): boolean {
  return text.matchAll(NAMES).some(([, name = '']) => isSecretName(name) || isSecretName(inWords(name)))
}

function isSecretName(name: string): boolean {
  const folded = name.toLowerCase()
  return SECRET_NAME.test(folded) || SECRET_WORD.test(folded)
}

/** `feedAuth` and `APIKey` as `feed_Auth` and `API_Key`. */
function inWords(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
}

/** A host with all that is below it, and what the path behind it begins with if not all of it is meant. */
type FeedHost = readonly [host: string, path?: RegExp]

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'

const path = (source: string) => new RegExp(`^${source}`, 'i')

/**
 * Where members get feeds of their own, each with an address that opens what they have paid for (docs/protocol.md#D56). Only what serves
 * nothing else: a host that has public feeds, too, is named with the path of the others. Left out are hosts whose addresses show it
 * anyway, by a name, a token or a piece that says private. The main source is the list of private feeds that Podcast Index keeps
 * (github.com/Podcastindex-org/private-feed-blocklist).
 */
const MEMBERS_ONLY: readonly FeedHost[] = [
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
const PUBLIC_IDENTIFIERS: readonly FeedHost[] = [
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
