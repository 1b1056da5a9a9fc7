import { type Io, usageError } from './io.ts'
import { COMMAND_LINE, withApp } from './open-app.ts'
import type { SettingOptions } from './settings.ts'

/** `podstep mail test ADDRESS`: tells at once whether mail works, and if not, why. Works beside a running server. */
export async function mail(words: readonly string[], options: SettingOptions, io: Io): Promise<number> {
  const [action, address, ...rest] = words
  if (action !== 'test')
    throw usageError(action === undefined ? 'mail: what to do?' : `mail: unknown command "${action}"`)
  if (address === undefined || address === '') throw usageError('mail test: to which address?')
  if (rest.length > 0) throw usageError(`mail test: what is "${rest[0]}" for?`)
  await withApp(options, io, ({ services }) => services.administration.sendTestMail(address, COMMAND_LINE))
  io.out(`the mail server has taken a mail to ${address}\n`)
  return 0
}
