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
    caption: t.String({ description: 'The ID until it is given another name.' }),
    type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
    subscriptions: integer({ description: 'How many there are.' }),
    last_contact: t.String({ description: 'When an app last used it, UTC; empty if that is not known.' }),
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
    'A device that does not exist is created. Only given keys that are not null change, so an empty body just makes sure that it exists.',
  read: readOptionalJson,
  isBodyOptional: true,
  body: objectSchema({
    caption: optionalText('At most 100 characters are kept.'),
    type: optionalText('mobile, laptop, desktop, server or other; tablet is stored as mobile'),
  }),
  bodyExample: { caption: 'Ida’s phone', type: 'mobile' },
  response: Empty,
  errors: ['quota_exceeded'],
})

export const putDevice = { ...updateDevice, id: 'putDevice', summary: 'The same as `POST`, for older apps' }

export const deleteDevice = endpoint('Devices', 'deleteDevice', 'Delete a device', {
  description:
    'Its subscriptions go with it. It leaves its sync group, whose other devices keep theirs; episode actions stay.',
  ...done,
  errors: ['unknown_device'],
})

const SyncStatus = describedObject('All devices, by sync group.', {
  synchronized: t.Array(t.Array(t.String()), { description: 'Each inner array is one sync group.' }),
  'not-synchronized': t.Array(t.String(), { description: 'The devices that are in none.' }),
})

const status = {
  response: SyncStatus,
  example: { synchronized: [['ida-pixel', 'ida-desk']], 'not-synchronized': ['ida-car'] },
}

export const getSyncGroups = endpoint('Devices', 'getSyncGroups', 'List the sync groups', status)

export const changeSyncGroups = endpoint('Devices', 'changeSyncGroups', 'Form, merge and leave sync groups', {
  description:
    'The devices of a group get the union of their subscriptions at once; later changes reach all of them. A device that leaves keeps what it has.',
  body: objectSchema({
    synchronize: optionalList(
      t.Array(t.Union([t.String(), t.Null()])),
      'Devices to bring together; groups they are in already merge.',
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
