import { signal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { ownName } from '../session.ts'
import { createDevice, loadDevices, loadHolders } from '../subscriptions.ts'
import { noteImport } from './archive.ts'

/** Feeds in one upload: enough to be quick, few enough for the progress bar to move. */
export const CHUNK = 200
/** Milliseconds. */
const MARGIN = 60_000

export interface ImportTarget {
  readonly id: string
  readonly caption: string
  /** Whether the device has to be created first. */
  readonly isNew: boolean
}

/** A feed of the imported list. */
interface ImportedFeed {
  readonly url: string
  /** '' if the list has none. */
  readonly title: string
}

export interface ImportJob {
  readonly target: ImportTarget
  readonly feeds: readonly ImportedFeed[]
  /** How many of `feeds` have been uploaded. */
  readonly done: number
  /** How many of those the server could not use. */
  readonly rejected: number
  readonly state: 'running' | 'stopped' | 'failed' | 'done'
  readonly error?: unknown
}

/** The running import, or the last one. It goes on while the user looks at other pages. */
export const importJob = signal<ImportJob | undefined>(undefined)

/** Starts an import. Resolves when it is done, stopped or failed; never rejects. */
export function startImport(target: ImportTarget, feeds: readonly ImportedFeed[]): Promise<void> {
  return runImport({ target, feeds, done: 0, rejected: 0, state: 'running' })
}

/** Continues an import that was stopped or has failed. */
export async function continueImport(): Promise<void> {
  const { value } = importJob
  if (!value || (value.state !== 'stopped' && value.state !== 'failed')) return
  const { error: _, ...job } = value
  await runImport({ ...job, state: 'running' })
}

/** Stops after the upload that is on its way. */
export function stopImport(): void {
  const { value } = importJob
  if (value?.state === 'running') importJob.value = { ...value, state: 'stopped' }
}

/** Forgets the last import, so that another list can be chosen. */
export function clearImport(): void {
  importJob.value = undefined
}

async function runImport(first: ImportJob): Promise<void> {
  importJob.value = first
  // The clocks of browser and server may differ a little.
  const started = new Date(Date.now() - MARGIN).toISOString().slice(0, 19)
  let job = first
  try {
    if (job.target.isNew) {
      await createDevice(job.target.id, job.target.caption)
      job = publish({ ...job, target: { ...job.target, isNew: false } })
    }
    while (job.state === 'running' && job.done < job.feeds.length) {
      const chunk = job.feeds.slice(job.done, job.done + CHUNK)
      const rejected = await upload(job.target, chunk)
      job = publish({ ...job, done: job.done + chunk.length, rejected: job.rejected + rejected })
    }
    if (job.done === job.feeds.length) importJob.value = { ...job, state: 'done' }
  } catch (error) {
    importJob.value = { ...job, state: 'failed', error }
  }
  noteImport(job.done - job.rejected, started)
  // The import itself has its result by now. Pages that need these lists load them again if this fails.
  await Promise.all([loadDevices(), loadHolders()]).catch(() => undefined)
}

/** Shows the progress, and takes over the state, since the user may have stopped the import meanwhile. */
function publish(job: ImportJob): ImportJob {
  const next = { ...job, state: importJob.value?.state ?? 'stopped' }
  importJob.value = next
  return next
}

/** Uploads feeds. Resolves to how many of them the server could not use. */
async function upload({ id }: ImportTarget, feeds: readonly ImportedFeed[]): Promise<number> {
  const path = { username: ownName(), deviceid: id }
  const add = feeds.map(({ url }) => url)
  const titles = Object.fromEntries(feeds.filter(({ title }) => title !== '').map(({ url, title }) => [url, title]))
  const { update_urls } = await call('uploadSubscriptionChanges', { path, body: { add, titles } })
  return update_urls.filter(([, stored]) => stored === '').length
}
