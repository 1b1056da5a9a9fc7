import './support/browser-globals.ts'
import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { deviceIdFor } from '../../src/web/pages/transfer/device-id.ts'
import { errorKey, fileKindOf, reasonKey, shareOf, suggestedAddress } from '../../src/web/pages/transfer/report.ts'
import {
  accountImports,
  importFile,
  importFromServer,
  isRunning,
  loadImports,
  removeImport,
} from '../../src/web/store/importing/account-imports.ts'
import { devices, loadOwnPodcasts, ownPodcasts, subscribedDevices } from '../../src/web/store/subscriptions.ts'
import { signInAsNewUser } from './support/account.ts'
import { fakeServer, type SentRequest } from './support/fake-server.ts'

const LOGIN = { from: 'https://old.example', username: 'ida', password: 'seaglass' }
let imports: { id: number; state: string; counts?: unknown[] }[] = []

function answer({ line }: SentRequest): unknown {
  if (line.startsWith('POST')) {
    imports = [{ id: 1, state: 'running' }]
    return { id: 1 }
  }
  if (line.startsWith('DELETE')) imports = []
  if (line.includes('/sync-devices/')) return { synchronized: [], 'not-synchronized': [] }
  return line.endsWith('/me/import') ? imports : []
}

beforeEach(() => {
  imports = []
  signInAsNewUser()
})

describe('an import', () => {
  test('from another server sends the password in the body', async () => {
    const requests = fakeServer(answer)
    await importFromServer(LOGIN)
    expect(requests[0]).toEqual({ line: 'POST api/2/me/import', body: LOGIN })
    expect(isRunning(accountImports.value?.[0])).toBe(true)
  })

  test('of a file uploads it with its name', async () => {
    const sent: unknown[] = []
    const respond = async (input: unknown, init?: RequestInit) => {
      sent.push([String(input), init?.body, new Headers(init?.headers).get('content-type')])
      return Response.json(init?.method === 'POST' ? { id: 1 } : [])
    }
    spyOn(globalThis, 'fetch').mockImplementation(Object.assign(respond, { preconnect: () => undefined }))
    const file = new File(['SQLite format 3\0'], 'Anten na.db')
    await importFile(file)
    expect(sent[0]).toEqual(['api/2/me/import?name=Anten+na.db', file, 'application/octet-stream'])
  })

  test.each([true, false])(
    'reloads the devices when it ends, and the list of podcasts if that was loaded (%p)',
    async (hasList) => {
      const requests = fakeServer(answer)
      if (hasList) await loadOwnPodcasts()
      await importFromServer(LOGIN)
      requests.length = 0
      await loadImports()
      expect(requests).toHaveLength(1)
      imports = [{ id: 1, state: 'done', counts: [] }]
      await loadImports()
      expect([devices.value, ownPodcasts.value, subscribedDevices.value?.size]).toEqual([
        [],
        hasList ? [] : undefined,
        0,
      ])
      requests.length = 0
      await loadImports()
      expect(requests).toHaveLength(1)
    },
  )

  test('can be removed', async () => {
    const requests = fakeServer(answer)
    await importFromServer(LOGIN)
    const [latest] = accountImports.value ?? []
    if (latest) await removeImport(latest)
    expect(requests.map(({ line }) => line)).toContain('DELETE api/2/me/import/1')
    expect(accountImports.value).toEqual([])
  })
})

/** Messages of the server. */
test.each([
  ['the account has as many as the server lets it', 'full'],
  ['not an http or https address', 'noAddress'],
  ['without an http or https address of podcast and episode', 'noAddress'],
  ['without a valid URL', 'noAddress'],
  ['their device was not imported', 'noDevice'],
  ['too many devices in the history; these actions were imported without their device', 'noDevice'],
  ['the archive is damaged here', 'unreadable'],
  ['unreadable, or more than is taken', 'unreadable'],
  ['too long', 'unreadable'],
  ['there is no action of the episode', 'unreadable'],
  ['the password of a podcast stays in AntennaPod', 'password'],
  ['a folder on the phone', 'folder'],
  ['not subscribed to in Overcast', 'notSubscribed'],
  ['of no podcast that the database has', 'notSubscribed'],
  ['a list with this name and other podcasts exists', 'sameName'],
  ['fewer than two of its devices were imported', 'group'],
  ['old.example does not give it', 'notGiven'],
  ['the history of old.example does not end; it was read up to here', 'notGiven'],
  ['in more podcasts than are asked for one by one', 'notGiven'],
  ['other reasons', 'other'],
])('the reason %p is shown as %s', (reason, key) => {
  expect(reasonKey(reason)).toBe(key)
})

test.each([
  ['old.example does not accept the user name or the password', 'password'],
  [
    'cloud.example does not accept the user name or the password; Nextcloud with two-factor sign-in wants an app password, from Settings, Security',
    'twoFactor',
  ],
  [
    'there is neither a server with the gpodder.net API at https://x (…) nor Nextcloud with GPodder Sync (…)',
    'noServer',
  ],
  ['old.example is in a private network; import_allow_private could allow it', 'private'],
  ['old.example cannot be reached (ECONNREFUSED)', 'unreachable'],
  ['old.example does not answer in time', 'unreachable'],
  ['this file cannot be imported: it is neither an archive of a podstep account, nor …', 'unknownFile'],
  ['the file is damaged: the text before byte 12 is not JSON', 'damaged'],
  ['the server was stopped; start the same import again to resume it', 'stopped'],
  [
    'the server crashed twice during this import, so it was not resumed; start the same import again to resume it',
    'stopped',
  ],
  ['the file needs too much memory to read', 'tooMuch'],
  ['what old.example sends needs too much memory to read', 'tooMuch'],
  ['the file takes too long to read', 'tooMuch'],
  ['it holds too much text to import: more than 64 million characters', 'tooMuch'],
  ['the table episode has more than 2000000 rows', 'tooMuch'],
  ['other imports were waiting; start the same import again to resume it', 'waiting'],
  ['the import from old.example reached its time limit; start the same import again to resume it', 'other'],
  ['internal error, noted in the log of the server', 'other'],
])('the error %p is shown as %s', (error, key) => {
  expect(errorKey(error)).toBe(key)
})

test('the address to which a server redirects is suggested', () => {
  const error =
    'old.example sends us to another address, where the password must not go; use https://new.example/sub if that is the same server'
  expect([errorKey(error), suggestedAddress(error)]).toEqual(['elsewhere', 'https://new.example/sub'])
  expect(suggestedAddress('old.example does not answer in time')).toBeUndefined()
})

test('the progress of an import is at most 1, and unknown without a total', () => {
  expect([shareOf({ done: 5, total: 20 }), shareOf({ done: 30, total: 20 })]).toEqual([0.25, 1])
  expect([shareOf({ done: 5, total: null }), shareOf({ done: 0, total: 0 })]).toEqual([undefined, undefined])
})

test.each([
  ['SQLite format 3\0…', 'database'],
  ['\ufeff {"format":"podstep account","version":1', 'archive'],
  ['{"feeds":[]}', 'list'],
  ['<?xml version="1.0"?><opml><head><title>Overcast Podcast Subscriptions</title>', 'overcast'],
  ['<opml version="2.0"><head><title>Mine</title>', 'list'],
  ['https://feeds.tidewater.example/harbour.xml', 'list'],
])('a file that starts with %p is detected as: %s', (head, kind) => {
  expect(fileKindOf(head)).toBe(kind as ReturnType<typeof fileKindOf>)
})

test.each([
  ['Web', ['web', 'web-2'], 'web-3'],
  ['Ida’s phone', [], 'ida-s-phone'],
  ['台所', [], '台所'],
  ['.. / ..', [], 'web'],
  ['x'.repeat(80), [], 'x'.repeat(64)],
  ['x'.repeat(80), ['x'.repeat(64)], `${'x'.repeat(59)}-2`],
])('the ID of a device %p next to %p is %s (docs/protocol.md#D13)', (name, taken, id) => {
  expect(deviceIdFor(name, taken)).toBe(id)
  expect(id).toMatch(/^[\p{L}\p{N}_.-]{1,64}$/u)
})
