import type { App } from '../app.ts'
import type { UserSummary } from '../domain/accounts/ports/users.ts'
import { CommandError, type Io, usageError } from './io.ts'
import { COMMAND_LINE, withApp } from './open-app.ts'
import type { SettingOptions } from './settings.ts'

export interface UserOptions extends SettingOptions {
  readonly admin?: boolean | undefined
  readonly email?: string | undefined
  readonly json?: boolean | undefined
  readonly yes?: boolean | undefined
}

/** `podstep user …`: account management without the web client. Works while a server is running. */
export async function user(words: readonly string[], options: UserOptions, io: Io): Promise<number> {
  const [action, name, ...rest] = words
  switch (action) {
    case 'list':
      return list(options, io)
    case 'create':
      return create(only(name, rest), options, io)
    case 'set-password':
      return setPassword(only(name, rest), options, io)
    case 'set-role':
      return setRole(required(name), rest, options, io)
    case 'activate':
    case 'deactivate':
      return setActive(only(name, rest), action === 'activate', options, io)
    case 'reset-second-factor':
      return resetSecondFactor(only(name, rest), options, io)
    case 'delete':
      return remove(only(name, rest), options, io)
    default:
      throw usageError(action === undefined ? 'user: what to do?' : `user: unknown command "${action}"`)
  }
}

async function list(options: UserOptions, io: Io): Promise<number> {
  const users = await withApp(options, io, ({ services }) => services.administration.list())
  io.out(options.json ? `${JSON.stringify(users.map(toListItem), undefined, 2)}\n` : table(users))
  return 0
}

async function create(name: string, options: UserOptions, io: Io): Promise<number> {
  const password = await readPassword(io)
  const account = { username: name, password, email: options.email ?? '' }
  const created = await withApp(options, io, ({ services }) =>
    services.administration.create(account, options.admin ?? false, COMMAND_LINE),
  )
  io.out(`created ${created.username}${created.isAdmin ? ' (administrator)' : ''}\n`)
  return 0
}

async function setPassword(name: string, options: UserOptions, io: Io): Promise<number> {
  const password = await readPassword(io)
  await withApp(options, io, ({ services }) => services.administration.setPassword(name, password, COMMAND_LINE))
  io.out(`changed the password of ${name}; all sessions and app passwords ended\n`)
  return 0
}

async function setRole(name: string, rest: readonly string[], options: UserOptions, io: Io): Promise<number> {
  const role = only(rest[0], rest.slice(1))
  if (role !== 'admin' && role !== 'user') throw usageError('user set-role: the role is "admin" or "user"')
  await withApp(options, io, ({ services }) => services.administration.setAdmin(name, role === 'admin', COMMAND_LINE))
  io.out(`${name} is now ${role === 'admin' ? 'an administrator' : 'an ordinary user'}\n`)
  return 0
}

async function setActive(name: string, active: boolean, options: UserOptions, io: Io): Promise<number> {
  await withApp(options, io, ({ services }) => services.administration.setActive(name, active, COMMAND_LINE))
  io.out(active ? `${name} is active\n` : `${name} is deactivated; all sessions ended\n`)
  return 0
}

async function resetSecondFactor(name: string, options: UserOptions, io: Io): Promise<number> {
  await withApp(options, io, ({ services }) => services.administration.resetSecondFactor(name, COMMAND_LINE))
  io.out(`turned off the second factor of ${name}; the password alone is enough now\n`)
  return 0
}

async function remove(name: string, options: UserOptions, io: Io): Promise<number> {
  await confirmDeletion(name, options, io)
  await withApp(options, io, ({ services }: App) => services.administration.remove(name, COMMAND_LINE))
  io.out(`deleted ${name} and everything of this account\n`)
  return 0
}

async function confirmDeletion(name: string, { yes }: UserOptions, io: Io): Promise<void> {
  if (yes) return
  if (!io.isTerminal) throw usageError('user delete: add --yes to delete without being asked')
  const typed = await io.ask(
    `This deletes ${name} with all devices, subscriptions and history. Type the name to confirm: `,
  )
  if (typed?.trim().toLowerCase() !== name.toLowerCase()) throw new CommandError('nothing was deleted')
}

/** Asks twice at a terminal, or reads the first line of standard input. Any process could read an argument. */
async function readPassword(io: Io): Promise<string> {
  if (!io.isTerminal) return (await io.readAll()).split(/\r?\n/, 1)[0] ?? ''
  const password = await io.ask('Password: ', { hidden: true })
  const again = password === undefined ? undefined : await io.ask('Again: ', { hidden: true })
  if (password === undefined || again === undefined) throw new CommandError('nothing was changed')
  if (password !== again) throw new CommandError('the two passwords differ; nothing was changed')
  return password
}

function required(name: string | undefined): string {
  if (name === undefined || name === '') throw usageError('user: which user?')
  return name
}

function only(name: string | undefined, rest: readonly string[]): string {
  if (rest.length > 0)
    throw usageError(`user: unexpected argument "${rest[0]}": passwords are asked for, never given as arguments`)
  return required(name)
}

function toListItem({ username, email, state, isAdmin, hasSecondFactor, devices, subscriptions }: UserSummary) {
  return {
    username,
    email: email ?? '',
    state,
    is_admin: isAdmin,
    second_factor: hasSecondFactor,
    devices,
    subscriptions,
  }
}

function table(users: readonly UserSummary[]): string {
  const rows = users.map(({ username, state, isAdmin, devices, subscriptions, email }) => [
    username,
    state,
    isAdmin ? 'admin' : 'user',
    String(devices),
    String(subscriptions),
    email ?? '',
  ])
  const head = ['USER', 'STATE', 'ROLE', 'DEVICES', 'FEEDS', 'EMAIL']
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
