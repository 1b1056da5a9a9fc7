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
  description: 'Subscriptions of all your devices, each podcast once.',
  response: t.String({ description: 'An OPML 2.0 document.' }),
  formats: {
    'text/xml': {
      example: writeOpml([PODCAST], { title: 'Subscriptions of ida', created: 1_740_909_600 }),
    },
  },
})

export const exportCsv = endpoint('Accounts', 'exportCsv', 'Export your listening history as CSV', {
  description:
    'All episode actions, sorted by time, in the format of RFC 4180 and in UTF-8. Times are in UTC; positions and lengths are whole seconds. Text that a spreadsheet would take for a formula begins with an apostrophe.',
  response: t.String({ description: 'A line with the names of the columns, then a line for each action.' }),
  formats: {
    'text/csv': {
      example: `${csvLine(['time', 'action', 'podcast', 'episode', 'device', 'started', 'position', 'total', 'podcast_url', 'episode_url', 'guid'])}${csvLine(['2025-03-02T09:58:00', 'play', 'Harbour Voices', 'Fog', 'ida-pixel', 0, 61, 1800, FEED, 'https://cdn.tidewater.example/fog.mp3', undefined])}`,
    },
  },
})
