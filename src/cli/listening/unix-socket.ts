import { chmodSync, existsSync, lstatSync, rmSync, type Stats } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { codeOf } from '../../platform/unknown.ts'
import { CommandError } from '../io.ts'

const PREFIX = 'unix:'
/** Umask while a socket is created: only the owner of the process can connect. */
const PRIVATE = 0o177

export function socketPath(listen: string): string {
  return listen.slice(PREFIX.length)
}

/** Removes the socket of a killed process. Throws `CommandError` if the path is in use by anything else. */
export async function clearSocket(path: string): Promise<void> {
  if (!existsSync(dirname(path))) throw refusal(path, `the folder ${dirname(path)} does not exist`)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isSocket()) throw refusal(path, 'there is something that is no socket; remove it, or choose another path')
  if (await isAnswering(path)) throw refusal(path, 'another server answers there already')
  rmSync(path, { force: true })
}

export function withMode<T>(path: string, mode: string, bind: () => T): T {
  const mask = process.umask(PRIVATE)
  try {
    const bound = bind()
    chmodSync(path, Number.parseInt(mode, 8))
    return bound
  } finally {
    process.umask(mask)
  }
}

export function socketRemover(path: string): () => void {
  const own = lstatSync(path, { throwIfNoEntry: false })
  return () => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (own && found && isSame(own, found)) rmSync(path, { force: true })
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

function isAnswering(path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.on('connect', () => resolve(true))
  socket.on('error', (error) => {
    const code = codeOf(error)
    if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(false)
    else reject(refusal(path, error.message))
  })
  return promise.finally(() => socket.destroy())
}

function refusal(path: string, why: string): CommandError {
  return new CommandError(`error: cannot listen on ${PREFIX}${path} (setting listen): ${why}`)
}
