import { readBundle, type WebFiles } from '../http/web-files.ts'
import { CommandError } from './io.ts'

/** The web client that the executable carries, or that `bun run build:web` has made. */
export async function readWebClient(): Promise<WebFiles> {
  const { default: path } = await import('../../dist/web.bundle', { with: { type: 'file' } }).catch(() => {
    throw new CommandError('error: the web client is not built; run "bun run build:web" first')
  })
  return readBundle(await Bun.file(path).text())
}
