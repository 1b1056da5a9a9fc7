export interface PrivacyFacts {
  readonly isSecret: boolean
  readonly isBlocked: boolean
  readonly subscribers: number
  readonly publishing: number
  readonly hiding: number
  readonly isHiddenBySomebody: boolean
}

/**
 * Returns true if only subscribers may see the podcast (docs/protocol.md#D56). A secret or blocked feed is private
 * unless every subscriber publishes it. Any other feed is public unless every subscriber hides it or, if there are no
 * subscribers, a former one hid it.
 */
export function isPrivatePodcast(facts: PrivacyFacts): boolean {
  const { isSecret, isBlocked, subscribers, publishing, hiding, isHiddenBySomebody } = facts
  if (isSecret || isBlocked) return subscribers === 0 || publishing < subscribers
  return subscribers === 0 ? isHiddenBySomebody : hiding === subscribers
}

export interface Viewing {
  readonly isPrivate: boolean
  readonly isOwn: boolean
  /** True if the feed is in the server's private network and no user of this server has ever subscribed to it. */
  readonly isInside: boolean
  readonly isAnonymous: boolean
}

/** Private podcasts are hidden from all but their subscribers, those in the private network from anonymous viewers. */
export function isHiddenFrom({ isPrivate, isOwn, isInside, isAnonymous }: Viewing): boolean {
  return (isPrivate && !isOwn) || (isInside && isAnonymous)
}

/** Increment this when the rules below or their data change, so that all podcasts are reclassified. */
export const CLASSIFIER_VERSION = 2

export const SECRET_URL_WORDS = {
  parameterParts: [
    ...['token', 'secret', 'passw', 'passphrase', 'signature', 'credential', 'session', 'sessid', 'oauth', 'jwt'],
    ...['hmac', 'apikey', 'accesskey', 'rsskey', 'feedkey', 'userkey'],
  ],
  parameterWords: [
    ...['auth', 'authkey', 'authorization', 'key', 'keys', 'sig', 'sign', 'pass', 'pwd', 'pw', 'sid', 'uid', 'uuid'],
    ...['user', 'users', 'username', 'userid', 'login', 'email', 'member', 'memberid', 'subscriber', 'customer'],
    ...['license', 'licence', 'hash', 'access', 'code', 'pin', 'otp', 'ticket', 'private', 'hdnea', 'hdnts'],
  ],
  publicCodes: ['country', 'lang', 'language', 'region', 'area', 'post', 'zip', 'station', 'channel', 'show'],
  members: ['private', 'premium', 'members', 'subscribers', 'supporters', 'patrons'],
}

const PARTS = /^https?:\/\/([^/?#]*)(.*)$/is
const PORT_OR_DOT = /\.?(?::\d*)?$/

const anyOf = (words: readonly string[]) => `(?:${words.join('|')})`

const MEMBERS = anyOf(SECRET_URL_WORDS.members)
const MEMBERS_HOST = new RegExp(`^${MEMBERS}\\.`)
const MEMBERS_PATH = new RegExp(`^[^?#]*/${MEMBERS}(?:[-_](?:only|feeds?|rss|podcasts?))*(?:$|[/.?#])`, 'i')

const ESCAPE = /%(?:25)*([0-9a-f]{2})/gi
const NOT_IN_PIECES = /[^\w\-~+]+/
const NAMES = /(?:^|[/?&;#])([^/?&;#=]*)=/g
const NESTED_USERINFO = /:\/\/[^/?#]*@/

const SECRET_PART = new RegExp(anyOf(SECRET_URL_WORDS.parameterParts))
const PUBLIC_CODE = `${anyOf(SECRET_URL_WORDS.publicCodes)}[^a-z](?=code)`
const SECRET_WORD = new RegExp(`(?:^|[^a-z])(?<!${PUBLIC_CODE})${anyOf(SECRET_URL_WORDS.parameterWords)}(?![a-z])`)

/**
 * Returns true if a feed URL identifies its listener or gives access to restricted content (docs/protocol.md#D56). The
 * evidence is a telling parameter name, a random-looking piece of the path, query or fragment, or a host or path for
 * members only. Doubtful URLs count as secret, since the subscriber can still publish the feed. Host names that look
 * random or belong to a private network are no evidence. Expects output of `sanitizeUrl`; never throws; linear time.
 */
export function isSecretUrl(url: string): boolean {
  const [, authority = '', rest = url] = PARTS.exec(url) ?? []
  const host = authority.toLowerCase().replace(PORT_OR_DOT, '')
  if (isForMembers(host, rest)) return true
  const text = decoded(withoutIdentifier(host, rest))
  return NESTED_USERINFO.test(text) || hasSecretName(text) || text.split(NOT_IN_PIECES).some(isHighEntropy)
}

function isForMembers(host: string, rest: string): boolean {
  return (
    MEMBERS_HOST.test(host) || MEMBERS_PATH.test(rest) || MEMBERS_ONLY.some((candidate) => isAt(candidate, host, rest))
  )
}

function withoutIdentifier(host: string, rest: string): string {
  const [, path] = PUBLIC_IDENTIFIERS.find((candidate) => isAt(candidate, host, rest)) ?? []
  return path === undefined ? rest : rest.replace(path, '')
}

function isAt([name, path]: FeedHost, host: string, rest: string): boolean {
  return (host === name || host.endsWith(`.${name}`)) && (path === undefined || path.test(rest))
}

/** Decodes escaped ASCII, however often escaped, so that nested URLs are recognized. Other bytes become separators. */
function decoded(rest: string): string {
  return rest.replaceAll(ESCAPE, (_, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code < 0x80 ? String.fromCharCode(code) : ' '
  })
}

function hasSecretName(text: string): boolean {
  return text.matchAll(NAMES).some(([, name = '']) => isSecretName(name) || isSecretName(separateWords(name)))
}

function isSecretName(name: string): boolean {
  const folded = name.toLowerCase()
  return SECRET_PART.test(folded) || SECRET_WORD.test(folded)
}

function separateWords(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
}

type FeedHost = readonly [host: string, path?: RegExp]

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'

const path = (source: string) => new RegExp(`^${source}`, 'i')

/**
 * Hosts that give each member a feed URL with access to paid content (docs/protocol.md#D56). A host that also serves
 * public feeds has a path that matches only the members' feeds. Hosts are omitted if their URLs already look secret
 * because of a parameter name, a token or a path segment such as `private`. The main source is Podcast Index's list of
 * private feeds (github.com/Podcastindex-org/private-feed-blocklist).
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
  // The listener's key follows the name of the show. The public feed has `default` in its place.
  ['access.acast.com', path('/(?:rss/)?(?!rss/)[^/]+/(?!default(?:$|[/?#]))[^/]')],
  ['my.libsyn.com'],
  ['helloaudio.fm'],
  ['trystoryboard.com'],
  ['atp.fm', path('/rss/[^/]')],
  ['mysteriousuniverse.org', path('/feed/mu')],
  ['feeds.redcircle.com', path(`/${UUID}/pf/`)],
  ['api.podcache.net', path(`/shows/${UUID}/pf/`)],
  ['anchor.fm', path('/s/[^/]+/podcast/auth(?:$|[/?#])')],
  // Personal collections.
  ['listenlater.fm'],
  // The path contains the username and password of a paid app.
  ['podimo.thijs.sh'],
]

/** Hosts whose public feeds have random-looking URLs. The part that the path matches is not checked. */
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

/**
 * Rarity of letter pairs, without accents, in Latin-script words of English, German, French, Spanish, Italian, Polish
 * and 17 other languages, and in transcribed Japanese and Chinese. 0 is common, 2 is as frequent as in random text, 6
 * almost never occurs. Each row is a first letter, each digit a second letter.
 */
const UNUSUAL_PAIRS = [
  '11002312131000215000113422',
  '05561665156155166235265646',
  '06361660142364066231265632',
  '05510555044353046234254643',
  '12001213131000314000323132',
  '26652366166364166343365646',
  '15640633154352256123163636',
  '06641666155354166353253636',
  '02010214221010024100414332',
  '26651666364455366645366666',
  '05561653153354146322255636',
  '04420434024133046521143635',
  '02650655045324116534266656',
  '04100303022342156500234624',
  '22113323232010215001111442',
  '06550553165165026032265656',
  '66666666366666666666066666',
  '03220423042322046211134632',
  '04150441031234115410144631',
  '05340552053343046011144421',
  '22222333232110326011345543',
  '16660666156464266455466625',
  '15452653266553366346566626',
  '46564666366666536663366666',
  '25323344344432336333454646',
  '15541652264553256653344624',
] as const
const CHANCE = 2
const A = 97

const SHORTEST = 20

const HEXADECIMAL = /[0-9a-f]{20}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

const LETTER_BESIDE_DIGIT = 4
const CAPITAL_AFTER_STUB = 3
const CAPITAL_AFTER_WORD = 1
const BESIDE_SEPARATOR = -1
/** Words joined by separators are a name. In base64url, only short runs of letters precede a separator. */
const SEPARATOR_AFTER_WORD = -4
const WORD = 3

/** Score and length at which a stretch counts as random. Identifiers of up to ten characters next to a name pass. */
const RANDOM_SCORE_MIN = 14
const RANDOM_LENGTH_MIN = 11

/**
 * Returns true if `text` has at least 20 characters and contains a stretch that looks random (docs/protocol.md#D56): a
 * hexadecimal, base32, base36 or base64url identifier, alone or next to a name. Expects ASCII; characters other than
 * letters and digits are separators. Takes linear time. Measured false negatives for random base64url: 2 % at 20
 * characters, 1 % at 22, 0.1 % at 32. Measured false positives for joined words: fewer than 1 in 1000, or 5 in 1000 if
 * an identifier of eight characters follows them.
 */
function isHighEntropy(text: string): boolean {
  return text.length >= SHORTEST && (HEXADECIMAL.test(text) || hasRandomStretch(text))
}

function hasRandomStretch(text: string): boolean {
  let sum = 0
  let peak = 0
  let start = 0
  let word = 1
  for (let at = 1; at < text.length; at++) {
    const before = kindOf(text.charCodeAt(at - 1))
    const kind = kindOf(text.charCodeAt(at))
    if (sum <= 0) {
      sum = 0
      peak = 0
      start = at - 1
    }
    sum += evidence(text, at, before, kind, word)
    word = isWithinWord(before, kind) ? word + 1 : 1
    if (sum > peak) {
      peak = sum
      if (peak >= RANDOM_SCORE_MIN && at - start + 1 >= RANDOM_LENGTH_MIN) return true
    }
  }
  return false
}

type Kind = 'lower' | 'upper' | 'digit' | 'separator'

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'lower'
  if (code >= 65 && code <= 90) return 'upper'
  return code >= 48 && code <= 57 ? 'digit' : 'separator'
}

function isWithinWord(before: Kind, kind: Kind): boolean {
  return (before === 'lower' || before === 'upper') && (kind === 'lower' || (kind === 'upper' && before === 'upper'))
}

function evidence(text: string, at: number, before: Kind, kind: Kind, word: number): number {
  if (kind === 'separator') return word < WORD ? BESIDE_SEPARATOR : SEPARATOR_AFTER_WORD
  if (before === 'separator') return BESIDE_SEPARATOR
  if (before === 'digit' || kind === 'digit') return before === kind ? 0 : LETTER_BESIDE_DIGIT
  if (before === 'lower' && kind === 'upper') return word < WORD ? CAPITAL_AFTER_STUB : CAPITAL_AFTER_WORD
  const row = UNUSUAL_PAIRS[letter(text, at - 1)] ?? ''
  return Number(row.charAt(letter(text, at))) - CHANCE
}

function letter(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - A
}
