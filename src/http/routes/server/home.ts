import { openResults } from '../../../domain/server/doctor.ts'
import { parseExactly } from '../../../domain/shared/exact-json.ts'
import { get, type Route } from '../../endpoint.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/server/home.ts'
import { toFolderJson } from '../directory/folders.ts'
import { toItemJson } from '../directory/inbox.ts'
import { toDeviceJson } from '../sync/devices.ts'
import { toCheckJson } from './doctor.ts'

/** Episodes of each kind: enough for the widest screens. */
const EPISODES_OF_KIND = 12

/** Data of the web client's first page, except the list of podcasts, in one response to save round trips. */
export const homeRoutes = ({ inbox, devices, syncGroups, settings, folders, origins, doctor }: RouteParts): Route[] => [
  get('/api/2/me/home', 'user', spec.getHome, async ({ request, principal: { user } }) => {
    const base = origins.baseOf(request)
    const page = { before: undefined, limit: EPISODES_OF_KIND }
    const [started, newest, list, { synchronized }, account, filed, checks] = await Promise.all([
      inbox.inProgress(user.id, page),
      inbox.list(user.id, {
        ...page,
        podcast: undefined,
        tag: undefined,
        folder: undefined,
        onlyUnplayed: true,
        onlyNew: true,
      }),
      devices.list(user.id),
      syncGroups.status(user.id),
      settings.read(user.id, { scope: 'account' }),
      folders.list(user.id),
      user.isAdmin ? doctor.known() : [],
    ])
    return {
      in_progress: started.items.map((item) => toItemJson(item, base)),
      inbox: newest.items.map((item) => toItemJson(item, base)),
      devices: list.map(toDeviceJson),
      synchronized,
      settings: Object(parseExactly(account)),
      folders: filed.map(toFolderJson),
      server: openResults(checks).map(toCheckJson),
    }
  }),
]
