import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { account } from './session.ts'
import { loadDevices, loadOwnPodcasts } from './subscriptions.ts'

/** Feeds sent at once: enough to be quick, few enough to show that something happens. */
export const CHUNK = 200

export interface ImportTarget {
  readonly id: string
  readonly caption: string
  /** Whether it has to be made first. */
  readonly isNew: boolean
}

/** A feed as the imported list has it. */
interface ImportedFeed {
  readonly url: string
  /** '' if the list has none. */
  readonly title: string
}

export interface ImportJob {
  readonly target: ImportTarget
  readonly feeds: readonly ImportedFeed[]
  /** Of `feeds`, sent so far. */
  readonly done: number
  /** Of those, what the server could not use. */
  readonly rejected: number
  readonly state: 'running' | 'stopped' | 'failed' | 'done'
  readonly error?: unknown
}

/** The import that is under way, or the last one; it goes on while the person looks at other pages. */
export const importJob = signal<ImportJob | undefined>(undefined)

/** Begins one. Resolves when it is done, stopped or failed; never rejects. */
export function startImport(target: ImportTarget, feeds: readonly ImportedFeed[]): Promise<void> {
  return runImport({ target, feeds, done: 0, rejected: 0, state: 'running' })
}

/** Goes on where it stopped. */
export async function continueImport(): Promise<void> {
  const { value } = importJob
  if (!value || (value.state !== 'stopped' && value.state !== 'failed')) return
  const { error: _, ...job } = value
  await runImport({ ...job, state: 'running' })
}

/** What is under way to the server is still finished. */
export function stopImport(): void {
  const { value } = importJob
  if (value?.state === 'running') importJob.value = { ...value, state: 'stopped' }
}

/** Makes room for the next one. */
export function clearImport(): void {
  importJob.value = undefined
}

async function runImport(first: ImportJob): Promise<void> {
  importJob.value = first
  let job = first
  try {
    if (job.target.isNew) {
      await createDevice(job.target)
      job = publish({ ...job, target: { ...job.target, isNew: false } })
    }
    while (job.state === 'running' && job.done < job.feeds.length) {
      const chunk = job.feeds.slice(job.done, job.done + CHUNK)
      const refused = await send(job.target, chunk)
      job = publish({ ...job, done: job.done + chunk.length, rejected: job.rejected + refused })
    }
    if (job.done === job.feeds.length) importJob.value = { ...job, state: 'done' }
  } catch (error) {
    importJob.value = { ...job, state: 'failed', error }
  }
  // The other pages find out by themselves if this fails.
  await Promise.all([loadDevices(), loadOwnPodcasts()]).catch(() => undefined)
}

/** Shows how far it is, and finds out whether it was stopped meanwhile. */
function publish(job: ImportJob): ImportJob {
  const next = { ...job, state: importJob.value?.state ?? 'stopped' }
  importJob.value = next
  return next
}

/** Resolves to how many of the feeds the server could not use. */
async function send({ id }: ImportTarget, feeds: readonly ImportedFeed[]): Promise<number> {
  const path = { username: ownName(), deviceid: id }
  const add = feeds.map(({ url }) => url)
  const titles = Object.fromEntries(feeds.filter(({ title }) => title !== '').map(({ url, title }) => [url, title]))
  const { update_urls } = await call('uploadSubscriptionChanges', { path, body: { add, titles } })
  return update_urls.filter(([, stored]) => stored === '').length
}

async function createDevice({ id, caption }: ImportTarget): Promise<void> {
  await call('updateDevice', { path: { username: ownName(), deviceid: id }, body: { caption, type: 'other' } })
}

function ownName(): string {
  return account.value?.username ?? ''
}

/** Whether somebody has typed a user name to confirm what cannot be undone. Case makes no difference between names, which are ASCII. */
export function isSameName(typed: string, username: string): boolean {
  return typed.trim().toLowerCase() === username.toLowerCase()
}
