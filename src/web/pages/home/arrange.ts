/** What arranging has to know of a podcast. */
export interface Arranged {
  readonly title: string
  readonly author: string
  readonly url: string
  readonly devices: readonly string[]
  /** UTC; '' if unknown. */
  readonly added: string
  readonly newest_release: string
}

export type Order = 'title' | 'newest' | 'added'

export interface Arrangement {
  readonly order: Order
  /** As typed. */
  readonly filter: string
  /** Only what this device has; '' for all. */
  readonly device: string
}

/** Those that the filter and the device leave, in order: by title, or the latest first with unknown times last. */
export function arrange<P extends Arranged>(
  podcasts: readonly P[],
  { order, filter, device }: Arrangement,
  locale: string,
): P[] {
  const words = fold(filter).split(/\s+/).filter(Boolean)
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
  const byTitle = (a: P, b: P) => collator.compare(a.title, b.title) || (a.url < b.url ? -1 : 1)
  const byTime = (key: 'newest_release' | 'added') => (a: P, b: P) =>
    a[key] === b[key] ? byTitle(a, b) : a[key] < b[key] ? 1 : -1
  return podcasts
    .filter((podcast) => device === '' || podcast.devices.includes(device))
    .filter((podcast) => {
      const text = fold(`${podcast.title} ${podcast.author}`)
      return words.every((word) => text.includes(word))
    })
    .sort(order === 'title' ? byTitle : byTime(order === 'newest' ? 'newest_release' : 'added'))
}

/** Case and accents do not matter. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}
