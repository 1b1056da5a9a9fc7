import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema, parameter } from '../shared/models.ts'

const Activity = objectSchema({
  time: integer({ description: 'When it was done last, in Unix seconds.' }),
  since: integer({ description: 'When it was done first.' }),
  count: integer({ description: 'How often: the same within an hour is one item, for a day at most.' }),
  device: t.Union([t.String(), t.Null()], {
    description: 'The ID of the device, also if there is no such device; null if the app named none or several.',
  }),
  device_caption: t.String({ description: 'What the device is called; empty if there is none.' }),
  app: t.String({ description: 'What the app calls itself; empty if it does not, or if that is not to be stored.' }),
  by: t.Union([t.Literal('app'), t.Literal('browser')], {
    description: 'A browser is the web client, where only changes are told, or that of a failed sign-in.',
  }),
  kind: t.String({
    description:
      'sent_changes, sent_list (a whole list of subscriptions), sent_actions, sent_settings, sent_chapters, fetched_changes, fetched_list, fetched_actions, fetched_settings, fetched_chapters, fetched_updates, updated_device, signed_in or refused. There may be new ones.',
  }),
  added: integer({ description: 'Of changes: podcasts, or chapters, that were added, all times together.' }),
  removed: integer(),
  items: integer({ description: 'Of all else: podcasts of lists, actions, keys of settings, fetched chapters.' }),
  reason: t.Union([t.String(), t.Null()], {
    description: 'Why it was refused: the `error` that the app got, such as invalid_credentials; null otherwise.',
  }),
})

export const listActivity = endpoint('Devices', 'listActivity', 'List what your apps did', {
  description:
    'Whether and how apps sync, newest first: what they sent and fetched, and why they were refused. The last 30 days, at most 1,000 items, of which 200 for what was refused. After a crash of the server the last minutes are missing. With the setting `store_user_agent` of the account set to `false` no app is named.',
  query: objectSchema({
    before: parameter('The `next` of the page before; the newest items unless given.', '1740909600'),
  }),
  response: describedObject('About 100 items.', {
    items: t.Array(Activity),
    next: t.Union([integer(), t.Null()], { description: 'The `before` of the next page; null on the last one.' }),
  }),
  example: {
    items: [
      {
        ...{ time: 1740909600, since: 1740906000, count: 5, device: 'ida-pixel', device_caption: 'Ida’s phone' },
        ...{ app: 'AntennaPod', by: 'app' as const, kind: 'fetched_changes', added: 2, removed: 0, items: 0 },
        reason: null,
      },
      {
        ...{ time: 1740902400, since: 1740902400, count: 1, device: null, device_caption: '' },
        ...{ app: 'gPodder', by: 'app' as const, kind: 'refused', added: 0, removed: 0, items: 0 },
        reason: 'invalid_credentials',
      },
    ],
    next: null,
  },
  errors: [
    errorResponse('validation_failed', '`before` is no whole number.', 'before must be a whole number', 'before'),
  ],
})
