import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf } from '../support/client.ts'

const PROXY = '192.0.2.10'

function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  app.clock.advance(1)
  const send = async (headers: Record<string, string>, peer = PROXY) => {
    app.setPeer(peer)
    await clientOf(app, headers).get('/healthz')
  }
  /** The warnings about proxies so far. */
  const warnings = () =>
    app.logs
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ msg }) => typeof msg === 'string' && msg.includes('trusted_proxies'))
  return { app, send, warnings }
}

describe('what a proxy says that is not in trusted_proxies', () => {
  test.each([
    ['x-forwarded-for', '203.0.113.1'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-host', 'pods.example'],
    ['forwarded', 'for=203.0.113.1;proto=https'],
  ])('is a warning in the log, with its address and the setting to change: %s', async (header, value) => {
    const { send, warnings } = open()
    await send({ [header]: value })
    expect(warnings()).toMatchObject([{ level: 'warn', peer: PROXY, header }])
    // The client's own address is in there.
    expect(JSON.stringify(warnings())).not.toContain('203.0.113.1')
  })

  test('is told once an hour of each', async () => {
    const { app, send, warnings } = open()
    for (let n = 0; n < 5; n++) await send({ 'x-forwarded-for': '203.0.113.1' })
    await send({ 'x-forwarded-proto': 'https' })
    expect(warnings()).toHaveLength(1)
    await send({ 'x-forwarded-for': '203.0.113.1' }, '192.0.2.11')
    expect(warnings()).toHaveLength(2)
    app.clock.advance(3600)
    await send({ 'x-forwarded-for': '203.0.113.1' })
    expect(warnings()).toHaveLength(3)
  })

  test.each([
    ['from a trusted proxy', { trusted_proxies: '192.0.2.0/24' }, { 'x-forwarded-for': '203.0.113.1' }],
    ['without such a header', {}, { via: '1.1 proxy', origin: 'http://localhost' }],
  ])('is none %s', async (_case, settings: Record<string, string>, headers: Record<string, string>) => {
    const { send, warnings } = open(settings)
    await send(headers)
    expect(warnings()).toEqual([])
  })
})
