import { basic, type Client } from '../../support/client.ts'
import { podstep } from './command.ts'
import { emptyFolder, type Folder } from './folder.ts'
import { type Server, type ServerOptions, startServer } from './server.ts'

export const IDA = basic('ida', 'seaglass')
export const LIST = '/subscriptions/ida/phone.json'
export const CHANGES = '/api/2/subscriptions/ida/phone.json'

/** Allows fetching feeds from this machine, and puts scheduled refreshes off to the next leap day. */
export const LOCAL_FEEDS = { SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8', SVC_FEED_REFRESH_CRON: '0 0 29 2 *' }

export interface Scene extends AsyncDisposable {
  readonly folder: Folder
  readonly server: Server
  readonly ida: Client
  readonly anyone: Client
  /** Starts a new server in the same folder, after this one has ended. */
  again(options?: Partial<ServerOptions>): Promise<Scene>
}

/** A server in an empty folder, with the administrator ida, whose password is "seaglass". */
export async function startScene(options: Partial<ServerOptions> = {}): Promise<Scene> {
  const folder = emptyFolder()
  const scene = await startIn(folder, options)
  await scene.anyone.post('/api/2/register', { username: 'ida', password: 'seaglass' })
  return {
    ...scene,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Starts a server in a folder in which ida exists. */
export async function startIn(folder: Folder, options: Partial<ServerOptions> = {}): Promise<Scene> {
  const server = await startServer({ cwd: folder.path, ...options })
  return {
    folder,
    server,
    ida: server.client(IDA),
    anyone: server.client(),
    again: (others = {}) => startIn(folder, { ...options, ...others }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Creates a user on the command line, with the password "seaglass". */
export async function createUser({ path: cwd }: { readonly path: string }, name: string): Promise<void> {
  const { code, err } = await podstep(['user', 'create', name], { cwd, stdin: 'seaglass' })
  if (code !== 0) throw new Error(`no account ${name}: ${err}`)
}

/** Errors and warnings in the log. */
export const complaints = ({ log }: Server) => log.filter(({ level }) => level === 'error' || level === 'warn')
