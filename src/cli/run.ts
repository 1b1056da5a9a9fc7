import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { UnusableCertificate } from '../doctor/certificates.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { messageOf } from '../platform/unknown.ts'
import { UnusableDatabase } from '../store/migrations.ts'
import { backup } from './backups/backup.ts'
import { copy } from './backups/copy.ts'
import { restore } from './backups/restore.ts'
import { doctor } from './doctor/doctor.ts'
import { hasHelp, helpText, VERSION } from './help.ts'
import { CommandError, type Io, isSystemError, usageError } from './io.ts'
import { COMMAND_LINE, withApp } from './open-app.ts'
import { askHere, serverHere } from './running-server.ts'
import { serve } from './serving/serve.ts'
import { checkConfig, readSettings, type SettingOptions, settingOptions } from './settings.ts'
import { exportAccount, importAccount } from './transfer.ts'
import { user } from './user.ts'

const help = { help: { type: 'boolean', short: 'h' } } as const
const userOptions = {
  ...settingOptions,
  ...help,
  admin: { type: 'boolean' },
  email: { type: 'string' },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
} as const

const importOptions = {
  ...settingOptions,
  ...help,
  from: { type: 'string' },
  user: { type: 'string' },
  to: { type: 'string' },
  kind: { type: 'string' },
} as const
const exportOptions = {
  ...settingOptions,
  ...help,
  out: { type: 'string' },
  opml: { type: 'boolean' },
  csv: { type: 'boolean' },
} as const

const backupOptions = { ...settingOptions, ...help, force: { type: 'boolean', short: 'f' } } as const
const restoreOptions = { ...settingOptions, ...help, yes: { type: 'boolean', short: 'y' } } as const

const copyOptions = { ...help, from: { type: 'string' }, to: { type: 'string' } } as const

const demoOptions = {
  ...help,
  host: { type: 'string' },
  port: { type: 'string' },
  empty: { type: 'boolean' },
  dates: { type: 'string' },
} as const

const OPERATORS_ERRORS = [UnusableDatabase, UnusableCertificate, DomainError]

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const userAtStart = io.userId()
  const printError = (message: string) => io.err(`${message}${userChange(message, userAtStart, io)}\n`)
  try {
    return await dispatch(argv, io)
  } catch (error) {
    if (error instanceof CommandError) {
      printError(error.message)
      return error.exitCode
    }
    if (OPERATORS_ERRORS.some((kind) => error instanceof kind) || isSystemError(error)) {
      printError(`error: ${messageOf(error)}`)
      return 1
    }
    throw error
  }
}

function userChange(message: string, userAtStart: number | undefined, io: Io): string {
  const now = io.userId()
  if (now === userAtStart || !/\bE(ACCES|PERM)\b/.test(message)) return ''
  return `. Run by root, podstep works as user ${now}, the owner of the data folder`
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first = 'serve', ...rest] = argv
  if (first === '--version' || first === '-V') return version(io)
  if (first === '--help' || first === '-h') return printHelp(io)
  const [command, args] = first.startsWith('-') ? ['serve', argv] : [first, rest]
  switch (command) {
    case 'serve':
    case 'check-config':
    case 'healthcheck': {
      const { values, positionals } = parse(args, { ...settingOptions, ...help })
      if (values.help) return printHelp(io, command)
      if (positionals.length > 0)
        throw usageError(`${command}: unexpected argument "${positionals[0]}"; see podstep ${command} --help`)
      if (command === 'serve') return serve(values, io)
      return command === 'check-config' ? checkConfig(values, io) : healthcheck(values, io)
    }
    case 'doctor': {
      const { values, positionals } = parse(args, { ...settingOptions, ...help, json: { type: 'boolean' } })
      if (values.help) return printHelp(io, 'doctor')
      if (positionals.length > 0)
        throw usageError(`doctor: unexpected argument "${positionals[0]}"; see podstep doctor --help`)
      return doctor(values, io)
    }
    case 'demo': {
      const { values, positionals } = parse(args, demoOptions)
      if (values.help) return printHelp(io, 'demo')
      if (positionals.length > 0)
        throw usageError(`demo: unexpected argument "${positionals[0]}"; see podstep demo --help`)
      // Imported here, since a regular server does not need the demo's podcasts.
      const { demo } = await import('./demo.ts')
      return demo(values, io)
    }
    case 'user': {
      const { values, positionals } = parse(args, userOptions)
      return values.help ? printHelp(io, 'user') : user(positionals, values, io)
    }
    case 'import': {
      const { values, positionals } = parse(args, importOptions)
      return values.help ? printHelp(io, 'import') : importAccount(positionals, values, io)
    }
    case 'export': {
      const { values, positionals } = parse(args, exportOptions)
      return values.help ? printHelp(io, 'export') : exportAccount(positionals, values, io)
    }
    case 'backup': {
      const { values, positionals } = parse(args, backupOptions)
      return values.help ? printHelp(io, 'backup') : backup(positionals, values, io)
    }
    case 'restore': {
      const { values, positionals } = parse(args, restoreOptions)
      return values.help ? printHelp(io, 'restore') : restore(positionals, values, io)
    }
    case 'copy': {
      const { values, positionals } = parse(args, copyOptions)
      return values.help ? printHelp(io, 'copy') : copy(positionals, values, io)
    }
    case 'mail': {
      const { values, positionals } = parse(args, { ...settingOptions, ...help })
      return values.help ? printHelp(io, 'mail') : mail(positionals, values, io)
    }
    case 'version':
      return args.includes('--help') ? printHelp(io, 'version') : version(io)
    case 'help':
      if (args[0] !== undefined && !hasHelp(args[0])) throw unknownCommand(args[0])
      return printHelp(io, args[0])
    default:
      throw unknownCommand(command)
  }
}

function parse<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw usageError(messageOf(error))
  }
}

function unknownCommand(command: string): CommandError {
  return usageError(`unknown command "${command}"; see podstep help`)
}

function version(io: Io): number {
  io.out(`podstep ${VERSION}\n`)
  return 0
}

function printHelp(io: Io, command?: string): number {
  io.out(helpText(command))
  return 0
}

async function mail(words: readonly string[], options: SettingOptions, io: Io): Promise<number> {
  const [action, address, ...rest] = words
  if (action !== 'test')
    throw usageError(action === undefined ? 'mail: what to do?' : `mail: unknown command "${action}"`)
  if (address === undefined || address === '') throw usageError('mail test: to which address?')
  if (rest.length > 0) throw usageError(`mail test: unexpected argument "${rest[0]}"`)
  await withApp(options, io, ({ services }) => services.administration.sendTestMail(address, 'en', COMMAND_LINE))
  io.out(`the mail server has accepted the email to ${address}\n`)
  return 0
}

const TIMEOUT_MS = 3000

/** Health check of containers: exit code 0 if the server on this machine can write to its database. */
async function healthcheck(options: SettingOptions, io: Io): Promise<number> {
  const { config } = readSettings(options, io)
  const here = serverHere(config)
  const name = `${here.name}${here.unix === undefined ? '' : ' '}/readyz`
  try {
    const response = await askHere(here, '/readyz', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.ok) return 0
    io.err(`${name} answered ${response.status}: ${(await response.text()).slice(0, 500)}\n`)
  } catch (error) {
    io.err(`${name} does not answer: ${messageOf(error)}\n`)
  }
  return 1
}
