import { readBundle } from '../../src/http/web-files.ts'

const PAGE = Buffer.from('<!doctype html><base href="{base}/"><title>podstep</title>').toString('base64')

/** A web client that is a page without anything on it, for tests of the server alone. */
export const EMPTY_WEB_CLIENT = readBundle(
  JSON.stringify([{ path: 'index.html', raw: PAGE, brotli: PAGE, gzip: PAGE }]),
)
