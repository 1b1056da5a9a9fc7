/** The server's reasons for skipping items, and the keys of our texts for them. */
const REASONS: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/^the account has as many/, 'full'],
  [/address|without a valid URL/, 'noAddress'],
  [/^their device was not imported|^too many devices/, 'noDevice'],
  [/damaged|^too long|^unreadable|^there is no action|must be/, 'unreadable'],
  [/^the password of a podcast/, 'password'],
  [/^a folder on the phone/, 'folder'],
  [/^not subscribed to|^of no podcast/, 'notSubscribed'],
  [/^a list with this name/, 'sameName'],
  [/^fewer than two/, 'group'],
  [/does not give|gives|gives a part|does not end|are asked for|answers/, 'notGiven'],
]

/** The server's errors of failed or interrupted imports, and the keys of our texts for them. */
const ERRORS: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/two-factor/, 'twoFactor'],
  [/does not accept the user name or the password|does not let this user in/, 'password'],
  [/sends us to another address/, 'elsewhere'],
  [/too much memory|too much text|takes too long to read|more than \d+ rows/, 'tooMuch'],
  [/^there is neither|something else|web page instead/, 'noServer'],
  [/private network/, 'private'],
  [/cannot be reached|answer in time|is not known|asked too much|left alone|resolve/, 'unreachable'],
  [/file cannot be imported|the file is empty/, 'unknownFile'],
  [/damaged|incomplete|end of the file|not an archive|too large|larger than|encoding/, 'damaged'],
  [/^the server (?:was stopped|crashed twice)/, 'stopped'],
  [/^other imports were waiting/, 'waiting'],
]

/** Returns the key of the text for a reason; `other` if there is none, to show the server's message instead. */
export function reasonKey(reason: string): string {
  return keyOf(REASONS, reason)
}

/** Like `reasonKey`, for the error of an import. */
export function errorKey(error: string): string {
  return keyOf(ERRORS, error)
}

function keyOf(table: typeof REASONS, words: string): string {
  return table.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
}

/** Returns the address to which a server redirected the import, which did not send the password there. */
export function suggestedAddress(error: string): string | undefined {
  return /; use (https?:\/\/\S+) if that/.exec(error)?.[1]
}

interface Progress {
  readonly done: number
  readonly total: number | null
}

/** Progress of an import from 0 to 1; undefined if unknown. */
export function shareOf({ done, total }: Progress): number | undefined {
  return total === null || total === 0 ? undefined : Math.min(1, done / total)
}

/** Sources of an import, in the order of the page. */
export const SOURCES = ['opml', 'antennapod', 'podstep', 'gpoddernet', 'nextcloud', 'overcast', 'gpodder'] as const

export type Source = (typeof SOURCES)[number]

export const SOURCE_NAMES: Readonly<Record<Exclude<Source, 'opml'>, string>> = {
  antennapod: 'AntennaPod',
  podstep: 'podstep',
  gpoddernet: 'gpodder.net',
  nextcloud: 'Nextcloud',
  overcast: 'Overcast',
  gpodder: 'gPodder',
}

/** Whether the source is a server. podstep is one, but also exports files. */
export function hasServer(source: Source): boolean {
  return source === 'podstep' || source === 'gpoddernet' || source === 'nextcloud'
}

export function hasFile(source: Source): boolean {
  return source === 'podstep' || !hasServer(source)
}

/** Detects the kind of a file from its first bytes. A list may be compressed. */
export function fileKindOf(head: string): 'database' | 'archive' | 'overcast' | 'list' {
  if (head.startsWith('SQLite format 3\0')) return 'database'
  const text = head.replace(/^\ufeff/, '').trimStart()
  if (/^\{\s*"format"\s*:\s*"podstep account"/.test(text)) return 'archive'
  return /<opml/i.test(text) && /overcast/i.test(text) ? 'overcast' : 'list'
}
