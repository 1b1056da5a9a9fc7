import { beforeEach, expect, test } from 'bun:test'
import { firstRequests } from '../../src/web/api/early.ts'
import { inProgress, newest } from '../../src/web/store/episodes/lists.ts'
import { loadHome } from '../../src/web/store/home.ts'
import { devices, groups } from '../../src/web/store/subscriptions.ts'
import { autoSync } from '../../src/web/store/sync/account-settings.ts'
import { signInAs, signInAsNewUser } from './support/account.ts'
import { fakeServer } from './support/fake-server.ts'

const EPISODE = { podcast: { url: 'https://feeds.example/a' }, episode: { url: 'https://cdn.example/1.mp3' } }

beforeEach(signInAsNewUser)

function answer({ line }: { readonly line: string }): unknown {
  if (line.endsWith('/me/home'))
    return {
      in_progress: [EPISODE],
      inbox: [EPISODE],
      devices: [{ id: 'phone' }],
      synchronized: [['phone', 'desk']],
      settings: { auto_sync: true },
    }
  return line.includes('/me/unplayed') ? [] : { items: [], next: null }
}

test('Home loads everything except podcasts with one request, and later reloads only lists of episodes', async () => {
  const requests = fakeServer(answer)
  await loadHome()
  expect(requests.map(({ line }) => line)).toEqual(['GET api/2/me/home'])
  // The page requests it early, by the same URL.
  expect(firstRequests('/', true)).toContain('api/2/me/home')
  expect([inProgress.value.value, newest.value.value]).toMatchObject([[EPISODE], [EPISODE]])
  expect(devices.value).toMatchObject([{ id: 'phone' }])
  expect(groups.value).toEqual([['phone', 'desk']])
  expect(autoSync.value).toEqual({ isOn: true, except: [] })

  await loadHome()
  const later = requests.slice(1).map(({ line }) => line.replace(/\?.*/, ''))
  expect(new Set(later)).toEqual(new Set(['GET api/2/me/in-progress', 'GET api/2/me/inbox', 'GET api/2/me/unplayed']))
})

test('a response is dropped when another user has signed in meanwhile', async () => {
  fakeServer((request) => {
    signInAs('ole')
    return answer(request)
  })
  await loadHome()
  expect([inProgress.value.value, devices.value]).toEqual([undefined, undefined])
})
