import type { App } from '../app.ts'
import type { Config } from '../config/options.ts'
import { messageOf } from '../platform/unknown.ts'
import { CommandError, type Io } from './io.ts'
import { socketPath } from './listening/unix-socket.ts'
import { withApp } from './open-app.ts'
import type { SettingOptions } from './settings.ts'

export interface Here {
  readonly url: string
  readonly unix?: string
  readonly name: string
}

export function serverHere(config: Config): Here {
  const { listen } = config
  if (listen !== undefined) return { url: 'http://localhost', unix: socketPath(listen), name: listen }
  const url = addressHere(config)
  return { url, name: url }
}

export function askHere({ url, unix }: Here, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    ...init,
    proxy: false,
    redirect: 'manual',
    ...(unix !== undefined && { unix }),
    // The certificate is for the public name, and this request does not leave the machine.
    ...(url.startsWith('https:') && { tls: { rejectUnauthorized: false } }),
  })
}

function addressHere({ host, port, tlsCert }: Config): string {
  if (port === 0) throw new CommandError('with port = 0, commands cannot find the server; set a port')
  const scheme = tlsCert === undefined ? 'http' : 'https'
  if (host === '0.0.0.0') return `${scheme}://127.0.0.1:${port}`
  const name = host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}

export interface UserApi {
  request(path: string, init?: RequestInit): Promise<Response>
  /** The application in this process; undefined if a running server responds. */
  readonly app: App | undefined
}

/** Runs `work` with the API on behalf of a user, on the running server or else in this process. */
export async function withUserApi<T>(
  options: SettingOptions,
  io: Io,
  username: string,
  work: (api: UserApi) => Promise<T>,
): Promise<T> {
  return withApp(options, io, async (app, { config, isAlone }) => {
    const user = await app.services.administration.get(username)
    if (user.state !== 'active') throw new CommandError(`error: the account ${user.username} is not active`)
    const here = isAlone ? undefined : { ...serverHere(config), shared: config.database ? 'database' : 'data folder' }
    const session = await app.services.sessions.start(user.id, { userAgent: 'podstep command line' })
    const cookie = `sessionid=${session.token}`
    const request = (path: string, init: RequestInit = {}): Promise<Response> => {
      const full = `${config.baseUrl?.path ?? ''}${path}`
      const withCookie = { ...init, headers: { ...init.headers, cookie } }
      return here
        ? ask(here, full, withCookie)
        : Promise.resolve(app.fetch(new Request(`http://localhost${full}`, withCookie)))
    }
    try {
      if (isAlone) await app.recover({ resumesImports: false })
      return await work({ request, app: isAlone ? app : undefined })
    } finally {
      await app.services.sessions.end(session.id)
    }
  })
}

interface Shared extends Here {
  readonly shared: string
}

async function ask(here: Shared, path: string, init: RequestInit): Promise<Response> {
  try {
    return await askHere(here, path, init)
  } catch (error) {
    throw new CommandError(
      `error: a server uses the ${here.shared}, but does not answer at ${here.name}: ${messageOf(error)}. If it was started with --host or --port, give the same here${here.shared === 'database' ? '; if it runs on another machine, run the command there' : ''}`,
    )
  }
}
