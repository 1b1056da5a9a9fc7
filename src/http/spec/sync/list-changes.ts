import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, integer, objectSchema, parameter } from '../shared/models.ts'

const Podcasts = t.Array(objectSchema({ url: t.String(), title: t.String() }), {
  description: 'The first few podcasts. The title is the URL while no title is known.',
})

const Change = objectSchema({
  id: integer({ description: 'Greater for later changes.' }),
  time: integer({ description: 'Unix seconds.' }),
  device: t.Union([t.String(), t.Null()], {
    description: 'ID of the device whose app made the change, even if deleted since; null for several.',
  }),
  device_caption: t.String({ description: 'Name of the device; empty if `device` is null.' }),
  app: t.String({
    description: 'Name that the app gives itself; empty if it gives none, or if the user does not want it stored.',
  }),
  kind: t.String({
    description:
      'upload, replace (a complete list), sync (devices grouped), join (a device added to the sync group automatically), exchange (another address), import, restore or device (a device was deleted). New ones may be added.',
  }),
  added: Podcasts,
  added_count: integer(),
  removed: Podcasts,
  removed_count: integer(),
  text: t.String({ description: 'Description of the change in English.' }),
  can_undo: t.Boolean({
    description: 'Whether restoring `device` to the second before `time` is possible and would undo the change.',
  }),
})

const HARBOUR = { url: 'https://feeds.tidewater.example/harbour.xml', title: 'Harbour Lights' }
const LOOKOUT = { url: 'https://feeds.tidewater.example/lookout.xml', title: 'The Lookout' }

export const listChanges = endpoint('Subscriptions', 'listChanges', 'List changes of subscriptions', {
  description:
    'Changes to subscriptions by apps, imports and the user in the last 90 days, newest first. A change includes its effect on the other devices of a sync group.',
  query: objectSchema({
    before: parameter('The `next` of the previous page; by default, the newest changes.', '1740909600'),
  }),
  response: describedObject('Up to 50 changes.', {
    items: t.Array(Change),
    next: t.Union([integer(), t.Null()], {
      description: 'Value of `before` for the next page; null on the last page.',
    }),
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
    errorResponse('validation_failed', '`before` is not a whole number.', 'before must be a whole number', 'before'),
  ],
})

export const restoreLists = endpoint('Subscriptions', 'restoreLists', 'Restore earlier subscriptions', {
  description:
    'Restores the subscriptions of a device and its sync group, or of all devices, to their state at the end of that second. Apps receive this as ordinary changes. To undo a change, use the second before its `time`. Changes everything or nothing; repeating the request changes nothing. Sync groups stay as they are: their devices get one list. A podcast whose feed has moved is not added twice.',
  body: objectSchema({
    device: t.Union([t.String(), t.Null()], { description: 'ID of a device; null for all.' }),
    time: integer({ description: 'Unix seconds, at most 90 days ago.' }),
  }),
  bodyExample: { device: 'ida-pixel', time: 1740909600 },
  response: describedObject('The lists are restored.', {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: 'Devices whose subscriptions changed.' }),
    timestamp: integer({ description: 'Timestamp after the change; unchanged if nothing changed.' }),
  }),
  example: { status: 'ok' as const, devices: ['ida-pixel', 'ida-desk'], timestamp: 1740909801 },
  errors: [
    'quota_exceeded',
    'unknown_device',
    errorResponse(
      'validation_failed',
      'The body does not match its schema, the time is in the future, or too early to be known; nothing was changed.',
      'time: changes of lists are known since 1740000000, got 1730000000; choose a later time',
      'time',
    ),
  ],
})
