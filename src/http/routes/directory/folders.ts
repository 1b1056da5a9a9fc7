import type { UserId } from '../../../domain/shared/ids.ts'
import type { Folder } from '../../../domain/sync/ports/folders.ts'
import { del, get, post, put, type Route } from '../../endpoint.ts'
import { parseId } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/folders.ts'

export const toFolderJson = ({ podcasts, ...folder }: Folder) => ({ ...folder, podcasts: [...podcasts] })

/** docs/protocol.md#folders. Each write returns all folders. */
export function folderRoutes({ folders }: RouteParts): Route[] {
  const all = async (userId: UserId) => ({ folders: (await folders.list(userId)).map(toFolderJson) })

  return [
    get('/api/2/me/folders', 'user', spec.listFolders, ({ principal: { user } }) => all(user.id)),
    post('/api/2/me/folders', 'user', spec.createFolder, async ({ principal: { user }, body }) => {
      await folders.create(user.id, body.name)
      return all(user.id)
    }),
    post('/api/2/me/folder-podcasts', 'user', spec.assignFolders, async ({ principal: { user }, body }) => {
      const { podcasts, add = [], remove = [] } = body
      await folders.assign(user.id, { podcasts, add, remove })
      return all(user.id)
    }),
    put('/api/2/me/folders/:id', 'user', spec.renameFolder, async ({ principal: { user }, params, body }) => {
      await folders.rename(user.id, parseId(params.id), body.name)
      return all(user.id)
    }),
    del('/api/2/me/folders/:id', 'user', spec.removeFolder, async ({ principal: { user }, params }) => {
      await folders.remove(user.id, parseId(params.id))
      return all(user.id)
    }),
  ]
}
