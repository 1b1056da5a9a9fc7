import { beforeEach, expect, test } from 'bun:test'
import { applyUpgrades, type Upgrade } from '../../src/web/store/upgrades.ts'
import { signInAs } from './support/account.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const upgrade = (title: string): Upgrade => ({
  ...{ kind: 'https', from: `http://${title}.example/`, to: `https://${title}.example/`, title },
})

/** Rejects the upgrade of `bad`. */
function answer({ line, body }: SentRequest): unknown {
  if (line.startsWith('GET')) return []
  if (JSON.stringify(body).includes('bad')) return errorResponse(400, 'validation_failed')
  return { status: 'ok', devices: ['phone', 'desk'], timestamp: 1 }
}

beforeEach(() => signInAs())

test('upgrades are applied one after the other, and a failed one does not stop the others, but is reported', async () => {
  const requests = fakeServer(answer)
  const upgrades = ['fog', 'bad', 'tide'].map(upgrade)
  await expect(applyUpgrades(upgrades)).rejects.toMatchObject({ code: 'validation_failed' })
  const bodies = requests.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body)
  expect(bodies).toEqual(upgrades.map(({ from, to }) => ({ http_url: from, https_url: to })))
  await applyUpgrades([upgrade('gull')])
})
