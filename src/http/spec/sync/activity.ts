import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema, parameter } from '../shared/models.ts'

const Activity = objectSchema({
  time: integer({ description: 'Time of the last occurrence, Unix seconds.' }),
  since: integer({ description: 'Time of the first occurrence, Unix seconds.' }),
  count: integer({
    description: 'Number of occurrences: repetitions within an hour form one item, for at most a day.',
  }),
  device: t.Union([t.String(), t.Null()], {
    description: 'ID of the device, even if there is no such device; null if the app named none or several.',
  }),
  device_caption: t.String({ description: 'Name of the device; empty if there is no device.' }),
  app: t.String({
    description: 'Name that the app gives itself; empty if it gives none, or if the user does not want it stored.',
  }),
  by: t.Union([t.Literal('app'), t.Literal('browser')], {
    description: '`browser` is the web client, of which only changes are listed, or the browser of a failed sign-in.',
  }),
  kind: t.String({
    description:
      'sent_changes, sent_list (a whole list of subscriptions), sent_actions, sent_settings, sent_chapters, fetched_changes, fetched_list, fetched_actions, fetched_settings, fetched_chapters, fetched_updates, updated_device, signed_in or refused. New ones may be added.',
  }),
  added: integer({ description: 'For changes: number of podcasts or chapters added, over all occurrences.' }),
  removed: integer(),
  items: integer({
    description: 'For all other kinds: number of podcasts in lists, actions, keys of settings or fetched chapters.',
  }),
  reason: t.Union([t.String(), t.Null()], {
    description: 'The `error` that a refused app got, such as invalid_credentials; otherwise null.',
  }),
})

export const listActivity = endpoint('Devices', 'listActivity', 'List the activity of your apps', {
  description:
    'Syncs of your apps, newest first: the data they sent and fetched, and refused requests. Covers the last 30 days, at most 1,000 items, 200 of them refused requests. A crash of the server loses the last minutes. If the account setting `store_user_agent` is `false`, apps are not named.',
  query: objectSchema({
    before: parameter('The `next` of the previous page; by default, the newest items.', '1740909600'),
  }),
  response: describedObject('About 100 items.', {
    items: t.Array(Activity),
    next: t.Union([integer(), t.Null()], {
      description: 'Value of `before` for the next page; null on the last page.',
    }),
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
    errorResponse('validation_failed', '`before` is not a whole number.', 'before must be a whole number', 'before'),
  ],
})
