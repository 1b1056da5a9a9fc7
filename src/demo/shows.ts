import { escapeXml } from '../formats/xml-scan.ts'
import drafts from './shows.json'

/* Podcasts of the demo. Fictitious, and the same at every start except for dates, so that tests can name them. */

export interface Show {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly language: string
  readonly category: string
  readonly description: string
  readonly daysBetween: number
  readonly hasCover: boolean
  /** Speakers in the transcripts. A show without any has neither transcripts nor chapters. */
  readonly speakers: readonly string[]
  readonly episodes: readonly DemoEpisode[]
}

export interface DemoEpisode {
  readonly number: number
  readonly title: string
  readonly notes: string
  readonly guid: string
  /** Unix seconds. */
  readonly released: number
  readonly seconds: number
  /** Whether it has its own picture, as some episodes do. */
  readonly hasPicture: boolean
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const FIXED_NEWEST = Date.UTC(2025, 5, 30, 6) / 1000

export function newestAt(now: number): number {
  return FIXED_NEWEST + Math.floor((now - HOUR - FIXED_NEWEST) / DAY) * DAY
}

interface Draft {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly language?: string
  readonly category: string
  readonly description: string
  readonly daysBetween: number
  readonly minutes: readonly [shortest: number, longest: number]
  readonly hasCover?: boolean
  readonly pictured?: number
  readonly speakers?: readonly string[]
  readonly titles: readonly string[]
}

/** One show has an episode for each day, so that its feed is paged. */
function titlesOf(draft: Draft, newest: number): readonly string[] {
  if (draft.titles.length > 0) return draft.titles
  return Array.from({ length: 150 }, (_, n) => `Tides of ${dayOf(newest - n * DAY)}`)
}

export function createShows(newest: number): readonly Show[] {
  return drafts.map(({ minutes: [shortest = 0, longest = 0], ...show }) => {
    const draft: Draft = { ...show, minutes: [shortest, longest] }
    const titles = titlesOf(draft, newest)
    return {
      ...{ ...draft, titles },
      language: draft.language ?? 'en',
      hasCover: draft.hasCover ?? true,
      speakers: draft.speakers ?? [],
      episodes: titles.map((title, n) => toEpisode({ ...draft, titles }, title, n, newest)),
    }
  })
}

export function showOf(shows: readonly Show[], slug: string): Show {
  const show = shows.find((each) => each.slug === slug)
  if (!show) throw new Error(`the demo has no podcast ${slug}`)
  return show
}

export const pathOf = {
  feed: ({ slug }: Show) => `/demo/${slug}.xml`,
  cover: ({ slug }: Show) => `/demo/${slug}.png`,
  picture: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.png`,
  page: ({ slug }: Show) => `/demo/${slug}`,
  transcript: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.vtt`,
  chapters: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.json`,
  chapterPicture: ({ slug }: Show, { number }: DemoEpisode, n: number) => `/demo/${slug}/${number}-${n}.png`,
  audio: ({ slug }: Show, { number }: DemoEpisode) => `/demo/${slug}/${number}.mp3`,
}

function toEpisode(draft: Draft, title: string, n: number, newest: number): DemoEpisode {
  const { slug, description, daysBetween, minutes, titles, pictured = 0 } = draft
  const number = titles.length - n
  const [shortest, longest] = minutes
  const spread = (longest - shortest) * MINUTE
  return {
    number,
    title,
    notes: `<p>${escapeXml(title)}</p><p>${escapeXml(description)}</p><p>More at <a href="https://example.org/">example.org</a>.</p>`,
    guid: `${slug}-${number}`,
    released: newest - n * daysBetween * DAY,
    seconds: shortest * MINUTE + (seedOf(`${slug} ${number}`) % (spread + 1)),
    hasPicture: n < pictured,
  }
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
