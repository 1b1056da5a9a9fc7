import { expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { createLog } from '../../src/platform/log.ts'
import { Secret } from '../../src/platform/secret.ts'

const secret = new Secret('seaglass')

test('a secret is told only to who asks for it', () => {
  expect(secret.reveal()).toBe('seaglass')
})

test.each([
  ['a template', `${secret}`],
  ['String', String(secret)],
  ['JSON', JSON.stringify({ deep: [{ secret }] })],
  ['inspection', inspect({ deep: { secret } }, { showHidden: true, depth: 9 })],
  ['Bun’s inspection', Bun.inspect({ deep: { secret } })],
  ['its keys and values', JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
  ['a copy', JSON.stringify({ ...secret })],
])('%s does not show it', (_case, text) => {
  expect(text).not.toContain('seaglass')
})

test.each(['json', 'pretty'] as const)('a log in format %s does not show it', (format) => {
  const lines: string[] = []
  const log = createLog({ level: 'info', format, write: (line) => lines.push(line) })
  log.info('settings', { secret, deep: { list: [secret] } })
  log.info(`in words: ${secret}`)
  log.error('failed', { error: Object.assign(new Error('no'), { secret }) })
  expect(lines.join('')).not.toContain('seaglass')
  expect(lines[0]).toContain('[redacted]')
})
