import { t } from 'elysia'
import type { ExternalAnswer, ExternalPodcast } from '../../../domain/directory/external.ts'
import { objectSchema } from '../shared/schema.ts'

/** The external podcast object of docs/protocol.md#external-directory: all texts, never null. */
export const ExternalModel = objectSchema({
  title: t.String(),
  url: t.String({ description: 'Feed URL.' }),
  description: t.String(),
  author: t.String(),
  logo_url: t.String(),
  language: t.String(),
  source: t.String({ description: 'The directory that supplied the entry.' }),
})

export const EXTERNAL_EXAMPLE: typeof ExternalModel.static = {
  title: 'Harbour Talk',
  url: 'https://feeds.tidewater.example/harbour.xml',
  description: 'Boats, and who sails them.',
  author: 'Tidewater',
  logo_url: 'https://tidewater.example/logo.png',
  language: 'en',
  source: 'podcastindex',
}

export const externalLimit = {
  429: {
    description: 'More than 60 requests from this address within a minute.',
    error: 'rate_limited',
    message: 'too many attempts, try again later',
  },
} as const

export function toExternalJson({ title, url, description, author, logoUrl, language, source }: ExternalPodcast) {
  return { title, url, description, author, logo_url: logoUrl, language, source }
}

/** Says what became of asking the directory (docs/protocol.md#D78). */
export function tellState(set: { headers: Record<string, string | number> }, { state }: ExternalAnswer): void {
  set.headers['x-external-directory'] = state
}
