const NAME_MAX = 64
/** More people of one name than a household has; it only keeps a search from going on for ever. */
const TRIES = 10_000
const RESERVED = new Set(['', 'current'])

/**
 * Usernames for somebody a provider calls `preferred`, best first: cut to the characters of protocol.md D12, then with `-2`, `-3` …
 * appended (18.4). An address counts by what is before the `@`.
 */
export function* usernameProposals(preferred: string | undefined, email: string | undefined): Generator<string> {
  const name =
    [preferred, email].map((text) => tidy(text ?? '')).find((text) => !RESERVED.has(text.toLowerCase())) ?? 'user'
  yield name
  for (let n = 2; n <= TRIES; n++) {
    const suffix = `-${n}`
    yield name.slice(0, NAME_MAX - suffix.length) + suffix
  }
}

/** Letters with marks that Unicode does not take for marks. */
const UNDIVIDED: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
}

function tidy(text: string): string {
  const local = text.split('@', 1)[0] ?? ''
  // Letters lose their accents rather than go: `Zoë` is better called Zoe than Zo.
  const ascii = local.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  return ascii
    .replaceAll(/[łŁøØđĐßæÆœŒ]/g, (letter) => UNDIVIDED[letter] ?? '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '')
    .replace(/^[.-]+/, '')
    .slice(0, NAME_MAX)
}
