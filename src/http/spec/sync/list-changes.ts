import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema, parameter } from '../shared/models.ts'

const Podcasts = t.Array(objectSchema({ url: t.String(), title: t.String() }), {
  description: 'The first few of them; the title is the URL until there is one.',
})

const Change = objectSchema({
  id: integer({ description: 'Greater for what came later.' }),
  time: integer({ description: 'When, in Unix seconds.' }),
  device: t.Union([t.String(), t.Null()], {
    description: 'The ID of the device whose app did it, also if it is deleted by now; null for several.',
  }),
  device_caption: t.String({ description: 'What the device is called; empty if it is null.' }),
  app: t.String({ description: 'What the app calls itself; empty if it does not, or if that is not to be stored.' }),
  kind: t.String({
    description:
      'upload, replace (a whole list), sync (devices put in sync), join (a device added to the sync group automatically), exchange (another address), import, restore or device (a device was deleted). There may be new ones.',
  }),
  added: Podcasts,
  added_count: integer(),
  removed: Podcasts,
  removed_count: integer(),
  text: t.String({ description: 'The same in English words.' }),
  can_undo: t.Boolean({
    description: 'Whether a restore of `device` to the second before `time` is possible and would take it back.',
  }),
})

const HARBOUR = { url: 'https://feeds.tidewater.example/harbour.xml', title: 'Harbour Lights' }
const LOOKOUT = { url: 'https://feeds.tidewater.example/lookout.xml', title: 'The Lookout' }

export const listChanges = endpoint('Subscriptions', 'listChanges', 'List changes of subscriptions', {
  description:
    'What apps, imports and the user have done to subscriptions in the last 90 days, newest first. What a change did to the other devices of a sync group is part of it.',
  query: objectSchema({
    before: parameter('The `next` of the page before; the newest changes unless given.', '1740909600'),
  }),
  response: describedObject('Up to 50 changes.', {
    items: t.Array(Change),
    next: t.Union([integer(), t.Null()], { description: 'The `before` of the next page; null on the last one.' }),
  }),
  example: {
    items: [
      {
        ...{ id: 1740909600, time: 1740909600, device: 'ida-pixel', device_caption: 'Ida’s phone', app: 'AntennaPod' },
        ...{ kind: 'replace', added: [], added_count: 0, removed: [HARBOUR, LOOKOUT], removed_count: 23 },
        ...{ text: 'Ida’s phone removed 23 podcasts', can_undo: true },
      },
    ],
    next: null,
  },
  errors: [
    errorResponse('validation_failed', '`before` is no whole number.', 'before must be a whole number', 'before'),
  ],
})

export const restoreLists = endpoint('Subscriptions', 'restoreLists', 'Restore earlier subscriptions', {
  description:
    'Brings the list of a device, with its sync group, or all lists back to what they were at the end of that second, by ordinary changes that every app gets to know. To take a change back, give the second before its `time`. All or nothing; the same request again changes nothing. Sync groups stay as they are: their devices get one list. A podcast whose feed has moved does not come twice.',
  body: objectSchema({
    device: t.Union([t.String(), t.Null()], { description: 'The ID of a device; null for all.' }),
    time: integer({ description: 'In Unix seconds, at most 90 days ago.' }),
  }),
  bodyExample: { device: 'ida-pixel', time: 1740909600 },
  response: describedObject('The lists are restored.', {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: 'Those whose lists have changed by this.' }),
    timestamp: integer({ description: 'After the change; the same as before if nothing changed.' }),
  }),
  example: { status: 'ok' as const, devices: ['ida-pixel', 'ida-desk'], timestamp: 1740909801 },
  errors: [
    'quota_exceeded',
    'unknown_device',
    errorResponse(
      'validation_failed',
      'The body does not match its schema, the time has not come, or nothing is known of it; nothing was changed.',
      'time: changes of lists are known since 1740000000, got 1730000000; choose a later time',
      'time',
    ),
  ],
})
