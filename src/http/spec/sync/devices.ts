import { t } from 'elysia'
import { readOptionalJson } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  done,
  Empty,
  integer,
  objectSchema,
  optionalList,
  optionalText,
} from '../shared/models.ts'

export const listDevices = endpoint('Devices', 'listDevices', 'List the devices', {
  response: describedList('The devices, oldest first.', {
    id: t.String(),
    caption: t.String({ description: 'Name of the device; by default its ID.' }),
    type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
    subscriptions: integer({ description: 'Number of subscriptions.' }),
    last_contact: t.String({ description: 'Time when an app last used it, UTC; empty if unknown.' }),
  }),
  example: [
    {
      id: 'ida-pixel',
      caption: 'Ida’s phone',
      type: 'mobile',
      subscriptions: 14,
      last_contact: '2025-03-02T10:00:00',
    },
    { id: 'ida-desk', caption: 'ida-desk', type: 'other', subscriptions: 3, last_contact: '' },
  ],
})

export const updateDevice = endpoint('Devices', 'updateDevice', 'Create or change a device', {
  description:
    'Creates the device if it does not exist. Changes only keys that are present and not null, so an empty body just ensures that the device exists.',
  read: readOptionalJson,
  isBodyOptional: true,
  body: objectSchema({
    caption: optionalText('Only the first 100 characters are kept.'),
    type: optionalText('mobile, laptop, desktop, server or other; tablet is stored as mobile'),
  }),
  bodyExample: { caption: 'Ida’s phone', type: 'mobile' },
  response: Empty,
  errors: ['quota_exceeded'],
})

export const putDevice = { ...updateDevice, id: 'putDevice', summary: 'Create or change a device, for older apps' }

export const deleteDevice = endpoint('Devices', 'deleteDevice', 'Delete a device', {
  description:
    'Also deletes its subscriptions. It leaves its sync group, whose other devices keep theirs; episode actions stay.',
  ...done,
  errors: ['unknown_device'],
})

const SyncStatus = describedObject('All devices, by sync group.', {
  synchronized: t.Array(t.Array(t.String()), { description: 'One inner array per sync group.' }),
  'not-synchronized': t.Array(t.String(), { description: 'Devices without a sync group.' }),
})

const status = {
  response: SyncStatus,
  example: { synchronized: [['ida-pixel', 'ida-desk']], 'not-synchronized': ['ida-car'] },
}

export const getSyncGroups = endpoint('Devices', 'getSyncGroups', 'List the sync groups', status)

export const changeSyncGroups = endpoint('Devices', 'changeSyncGroups', 'Create, merge and leave sync groups', {
  description:
    'The devices of a group immediately get the union of their subscriptions; later changes reach all of them. A device that leaves keeps its subscriptions.',
  body: objectSchema({
    synchronize: optionalList(
      t.Array(t.Union([t.String(), t.Null()])),
      'Devices to group; groups that they are already in are merged.',
    ),
    'stop-synchronize': optionalList(t.String(), 'Devices that leave their group.'),
  }),
  bodyExample: { synchronize: [['ida-pixel', 'ida-desk']], 'stop-synchronize': ['ida-car'] },
  ...status,
  errors: [
    'quota_exceeded',
    errorResponse(
      'unknown_device',
      'One of the devices does not exist; nothing was changed.',
      'unknown device: ida-car',
    ),
  ],
})
