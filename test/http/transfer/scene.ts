import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, type Client, signUp } from '../../support/client.ts'
import { recordAt } from '../../support/openapi.ts'

export interface ImportWorld {
  readonly app: TestApp
  readonly ida: Client
}

/** A server with ida's account, whose files are in `dataDir`. */
export async function openServer(dataDir: string, options: TestAppOptions = {}): Promise<ImportWorld> {
  const app = startTestApp({ ...options, settings: { rate_limit: 'false', ...options.settings, data_dir: dataDir } })
  return { app, ida: await signUp(app) }
}

export function sendFile(client: Client, content: string | Uint8Array, name = 'file.json'): Promise<Answer> {
  const headers = { 'content-type': 'application/octet-stream' }
  return client.post(`/api/2/me/import?name=${encodeURIComponent(name)}`, content, { headers })
}

/** Sends the file and waits until the import has ended; returns what came of it. */
export async function importFile(
  { app, ida }: ImportWorld,
  content: string | Uint8Array,
  name?: string,
): Promise<Json> {
  const { status, text, json } = await sendFile(ida, content, name)
  if (status !== 202) throw new Error(`the file was not taken: ${text}`)
  const id = Number(recordAt(json)['id'])
  await app.services.imports.ended(id)
  return recordAt((await ida.get(`/api/2/me/import/${id}`)).json)
}

type Json = Readonly<Record<string, unknown>>
