import type { Answer } from '../../api/client.ts'
import { fold } from '../home/list.ts'

export type Favorite = Answer<'listFavorites'>[number]

export type SortKey = 'starred' | 'newest' | 'oldest' | 'podcast'

export interface FavoriteFilter {
  /** Words in the titles of episode and podcast. */
  readonly text: string
  /** Feed URL; '' for all podcasts. */
  readonly podcast: string
}

/** Returns the favorites of the podcast with all words in their titles. */
export function matching(favorites: readonly Favorite[], { text, podcast }: FavoriteFilter): Favorite[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return favorites.filter((favorite) => {
    if (podcast !== '' && favorite.podcast_url !== podcast) return false
    const titles = fold(`${favorite.title} ${favorite.podcast_title}`)
    return words.every((word) => titles.includes(word))
  })
}

/** Sorts favorites. They arrive with the latest star first, which also breaks ties. */
export function sortFavorites(favorites: readonly Favorite[], order: SortKey, locale: string): Favorite[] {
  if (order === 'starred') return [...favorites]
  if (order === 'podcast') {
    const { compare } = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
    return favorites.toSorted((a, b) => compare(a.podcast_title, b.podcast_title) || byRelease(b, a))
  }
  return favorites.toSorted((a, b) => {
    // Episodes without a date come last in either order.
    if (a.released === '' || b.released === '') return Number(a.released === '') - Number(b.released === '')
    return order === 'oldest' ? byRelease(a, b) : byRelease(b, a)
  })
}

function byRelease({ released: a }: Favorite, { released: b }: Favorite): number {
  return a < b ? -1 : Number(a > b)
}

/** Returns the podcasts of the favorites, sorted by title, with the number of favorites. */
export function podcastsOf(favorites: readonly Favorite[], locale: string) {
  const { compare } = new Intl.Collator(locale, { sensitivity: 'base', numeric: true })
  return [...Map.groupBy(favorites, ({ podcast_url: url }) => url)]
    .map(([url, group]) => ({ url, title: group[0]?.podcast_title ?? url, count: group.length }))
    .sort((a, b) => compare(a.title, b.title))
}
