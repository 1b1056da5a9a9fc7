import { type FeedHost, MEMBERS_ONLY, PUBLIC_IDENTIFIERS } from './feed-hosts.ts'
import { looksRandom } from './random-text.ts'

/** Counts up with each change of these rules, also of what they look up elsewhere, so that feeds are judged anew. */
export const SECRET_RULES = 1

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
  /(?:^|[^a-z])(?:auth|authkey|authorization|key|keys|sig|sign|pass|pwd|pw|sid|uid|uuid|user|users|username|userid|login|email|member|memberid|subscriber|customer|licen[cs]e|hash|access|(?<!(?:country|lang|language|region|area|post|zip|station|channel|show)[^a-z])code|pin|otp|ticket|private|hdnea|hdnts)(?![a-z])/

/**
 * True if the address of a feed tells who hears it or opens what is not for everybody (protocol.md D56): a parameter that says so by
 * its name, a piece of the path, query or fragment that looks random, a place where only members get feeds. In doubt true: the
 * subscriber can publish the feed. That a host is in a private network says nothing, and names of hosts are no secrets.
 * `url` is as `sanitizeUrl` leaves it; total; linear.
 */
export function isSecretUrl(url: string): boolean {
  const [, authority = '', rest = url] = PARTS.exec(url) ?? []
  const host = authority.toLowerCase().replace(PORT_OR_DOT, '')
  if (isForMembers(host, rest)) return true
  const text = decoded(withoutIdentifier(host, rest))
  return NESTED_USERINFO.test(text) || hasSecretName(text) || text.split(NOT_IN_PIECES).some(looksRandom)
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
