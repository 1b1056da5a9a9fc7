import { endpoint } from '../../endpoint.ts'
import { listFolders } from '../directory/folders.ts'
import { listInbox, listInProgress } from '../directory/inbox.ts'
import { describedAs, describedObject } from '../shared/models.ts'
import { getSyncGroups, listDevices } from '../sync/devices.ts'
import { getSettings } from '../sync/settings.ts'
import { getExamination } from './doctor.ts'

export const getHome = endpoint('Episode actions', 'getHome', 'Get the home page except its podcasts', {
  description:
    'The first 12 episodes of `/api/2/me/in-progress`, of `/api/2/me/inbox` with `new`, the devices, the sync groups, the settings of the account and the folders, in one response; for administrators, also the open findings of `/api/admin/doctor`.',
  response: describedObject('Each key as in the response of its own endpoint.', {
    in_progress: listInProgress.response.properties.items,
    inbox: listInbox.response.properties.items,
    devices: listDevices.response,
    synchronized: getSyncGroups.response.properties.synchronized,
    settings: getSettings.response,
    folders: listFolders.response.properties.folders,
    server: describedAs(
      getExamination.response.properties.checks,
      'Open findings (`error`, `warning` or `todo`); empty unless the user is an administrator.',
    ),
  }),
  example: {
    in_progress: listInProgress.example.items,
    inbox: listInbox.example.items,
    devices: listDevices.example,
    synchronized: getSyncGroups.example.synchronized,
    settings: { auto_sync: true },
    folders: listFolders.example.folders,
    server: [],
  },
})
