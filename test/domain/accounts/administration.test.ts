import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'

test('a user is found in any letter case, and an unknown one is an error', async () => {
  const app = startTestApp()
  await signUp(app, 'ida')
  const { administration } = app.services
  expect(await administration.get('IDA')).toMatchObject({ username: 'ida', state: 'active' })
  await expect(administration.get('ole')).rejects.toMatchObject({ code: 'unknown_user' })
})
