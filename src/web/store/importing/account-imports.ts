import { type Answer, call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { loadDevices, loadOwnPodcasts, loadSubscribedDevices, ownPodcasts } from '../subscriptions.ts'
import { noteImport } from './archive.ts'

/** Import that the server runs, from another server or from an app's file. */
export type AccountImport = Answer<'getImport'>

const importsResource = createResource(() => call('listImports'))

/** The user's recent imports, newest first; undefined until loaded. */
export const accountImports = importsResource.value

export interface ServerLogin {
  readonly from: string
  readonly username: string
  readonly password: string
}

/** Reloads `accountImports`, and devices and podcasts when an import has ended. Rejects with `ApiError`. */
export async function loadImports(): Promise<void> {
  const wasRunning = isRunning(accountImports.value?.[0])
  const [latest] = await importsResource.load()
  if (!wasRunning || isRunning(latest)) return
  const podcasts = latest?.counts.find(({ what }) => what === 'subscriptions')
  if (latest && podcasts) noteImport(podcasts.imported, latest.started)
  await reloadImported()
}

export function isRunning(latest: AccountImport | undefined): boolean {
  return latest?.state === 'running'
}

/** Rejects with `ApiError`. */
export async function importFile(file: File, target?: ImportTarget): Promise<void> {
  await call('startImport', { query: { name: file.name, ...target }, ...sent(file) })
  await loadImports()
}

/** Device that receives the podcasts of a list. `caption` names a new one. */
export interface ImportTarget {
  readonly device: string
  readonly caption?: string
}

export type FilePreview = Answer<'previewImport'>

/** Returns the effect that an import of the file would have on each podcast. Rejects with `ApiError`. */
export async function previewFile(file: File, device: string, signal: AbortSignal): Promise<FilePreview> {
  return await call('previewImport', { query: { name: file.name, device }, ...sent(file), signal })
}

function sent(file: File) {
  // The API client sends files unchanged.
  return { headers: { 'content-type': 'application/octet-stream' }, body: file as object as object & string }
}

/** Starts an import. The server deletes the password when the import ends. Rejects with `ApiError`. */
export async function importFromServer(login: ServerLogin): Promise<void> {
  await call('startImport', { headers: { 'content-type': 'application/json' }, body: login })
  await loadImports()
}

/** Cancels a running import, or deletes the report of an ended one. Rejects with `ApiError`. */
export async function removeImport({ id }: AccountImport): Promise<void> {
  await call('removeImport', { path: { id } })
  await loadImports()
}

async function reloadImported(): Promise<void> {
  // The import itself has succeeded. Pages that need these lists reload them if this fails.
  await Promise.all([loadDevices(), ownPodcasts.value ? loadOwnPodcasts() : loadSubscribedDevices()]).catch(
    () => undefined,
  )
}
