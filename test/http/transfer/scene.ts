import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, type Client, signUp } from '../../support/client.ts'
import { recordAt } from '../../support/openapi.ts'

export const IMPORT = '/api/2/me/import'

export interface ImportWorld {
  readonly app: TestApp
  readonly ida: Client
}

type Report = Readonly<Record<string, unknown>>

/** Starts a server with Ida's account, whose files are in `dataDir`. */
export async function openServer(dataDir: string, options: TestAppOptions = {}): Promise<ImportWorld> {
  const app = startTestApp({ ...options, settings: { rate_limit: 'false', ...options.settings, data_dir: dataDir } })
  return { app, ida: await signUp(app) }
}

export function sendFile(client: Client, content: string | Uint8Array, name = 'file.json'): Promise<Answer> {
  const headers = { 'content-type': 'application/octet-stream' }
  return client.post(`${IMPORT}?name=${encodeURIComponent(name)}`, content, { headers })
}

/** Waits until an accepted import has ended, and returns its report. */
export async function reportOf({ app, ida }: ImportWorld, { status, text, json }: Answer): Promise<Report> {
  if (status !== 202) throw new Error(`the import was refused: ${text}`)
  const id = Number(recordAt(json)['id'])
  await app.services.imports.ended(id)
  return recordAt((await ida.get(`${IMPORT}/${id}`)).json)
}

/** The logical clocks of all users. */
export const clocks = ({ app }: ImportWorld): Promise<unknown[]> => app.rowsOf('SELECT clock FROM users')

/** Imports a file, and returns the report. */
export async function importFile(world: ImportWorld, content: string | Uint8Array, name?: string): Promise<Report> {
  return reportOf(world, await sendFile(world.ida, content, name))
}
