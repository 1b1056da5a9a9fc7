import { t } from 'elysia'
import { csvLine } from '../../../formats/csv.ts'
import { writeOpml } from '../../../formats/opml.ts'
import { endpoint } from '../../endpoint.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'

const PODCAST = {
  ...{ url: FEED, title: 'Harbour Voices', author: '', description: '', website: '', logoUrl: '', language: '' },
  ...{ subscribers: 0, subscribersLastWeek: 0 },
}

export const exportOpml = endpoint('Accounts', 'exportOpml', 'Export your subscriptions as OPML', {
  description: 'What any of your devices is subscribed to, each podcast once.',
  response: t.String({ description: 'An OPML 2.0 document.' }),
  formats: {
    'text/xml': {
      example: writeOpml([PODCAST], { title: 'Subscriptions of ida', created: 1_740_909_600 }),
    },
  },
})

export const exportCsv = endpoint('Accounts', 'exportCsv', 'Export your listening history as CSV', {
  description:
    'All episode actions by their time, as RFC 4180 has it, in UTF-8. Times are UTC, positions and lengths whole seconds. A text that a spreadsheet would take for a formula has an apostrophe before it.',
  response: t.String({ description: 'The names of the columns, and then a line for each action.' }),
  formats: {
    'text/csv': {
      example: `${csvLine(['time', 'action', 'podcast', 'episode', 'device', 'started', 'position', 'total', 'podcast_url', 'episode_url', 'guid'])}${csvLine(['2025-03-02T09:58:00', 'play', 'Harbour Voices', 'Fog', 'ida-pixel', 0, 61, 1800, FEED, 'https://cdn.tidewater.example/fog.mp3', undefined])}`,
    },
  },
})
