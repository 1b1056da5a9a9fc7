import { type Answer, call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { loadDevices, loadHolders, loadOwnPodcasts, ownPodcasts } from '../subscriptions.ts'
import { noteImport } from './archive.ts'

/** An import that the server carries out: from another server, or from the file of an app. */
export type AccountImport = Answer<'getImport'>

const importsResource = createResource(() => call('listImports'))

/** The last imports of the user, newest first; undefined until they are loaded. */
export const accountImports = importsResource.value

export interface ServerLogin {
  readonly from: string
  readonly username: string
  readonly password: string
}

/** Loads `accountImports` again, and with the end of an import what it has brought. Rejects with `ApiError`. */
export async function loadImports(): Promise<void> {
  const wasRunning = isRunning(accountImports.value?.[0])
  const [latest] = await importsResource.load()
  if (!wasRunning || isRunning(latest)) return
  const podcasts = latest?.counts.find(({ what }) => what === 'subscriptions')
  if (latest && podcasts) noteImport(podcasts.imported, latest.started)
  await loadWhatCame()
}

export function isRunning(latest: AccountImport | undefined): boolean {
  return latest?.state === 'running'
}

/** Rejects with `ApiError`. */
export async function importFile(file: File, target?: ImportTarget): Promise<void> {
  await call('startImport', { query: { name: file.name, ...target }, ...sent(file) })
  await loadImports()
}

/** The device that podcasts of a list are added to, with its name if it is new. */
export interface ImportTarget {
  readonly device: string
  readonly caption?: string
}

export type FilePreview = Answer<'previewImport'>

/** Asks what an import of the file would do with each podcast. Rejects with `ApiError`. */
export async function previewFile(file: File, device: string, signal: AbortSignal): Promise<FilePreview> {
  return await call('previewImport', { query: { name: file.name, device }, ...sent(file), signal })
}

function sent(file: File) {
  // The client sends a file as it is.
  return { headers: { 'content-type': 'application/octet-stream' }, body: file as object as object & string }
}

/** The password goes to the server, which forgets it when the import is over. Rejects with `ApiError`. */
export async function importFromServer(login: ServerLogin): Promise<void> {
  await call('startImport', { headers: { 'content-type': 'application/json' }, body: login })
  await loadImports()
}

/** Breaks off an import that runs, or forgets the report of one that has ended. Rejects with `ApiError`. */
export async function removeImport({ id }: AccountImport): Promise<void> {
  await call('removeImport', { path: { id } })
  await loadImports()
}

async function loadWhatCame(): Promise<void> {
  // The import has its result by now. Pages that need these lists load them again if this fails.
  await Promise.all([loadDevices(), ownPodcasts.value ? loadOwnPodcasts() : loadHolders()]).catch(() => undefined)
}
