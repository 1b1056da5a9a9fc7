import { describe, expect, test } from 'bun:test'
import { version } from '../package.json'
import { listErrorCodes } from '../src/domain/shared/errors.ts'
import { createAuthGuard } from '../src/http/auth.ts'
import { createBodyRoom } from '../src/http/body-room.ts'
import { createHintHub } from '../src/http/live/hub.ts'
import { mountRoutes } from '../src/http/mount.ts'
import { createOrigins } from '../src/http/origin.ts'
import { NO_IDLE_LIMIT } from '../src/http/responses/idle-limit.ts'
import { apiRoutes } from '../src/http/routes/index.ts'
import { healthRoutes } from '../src/http/routes/server/server.ts'
import { systemTimer } from '../src/platform/clock.ts'
import { startTestApp } from './support/app.ts'
import { clientOf } from './support/client.ts'
import {
  fillPath,
  isRecord,
  needsCredentials,
  operationsOf,
  recordAt,
  resolved,
  resolveRef,
} from './support/openapi.ts'

const app = startTestApp()
const document = recordAt((await clientOf(app).get('/openapi.json')).json)
const operations = operationsOf(document)

/** Operations that work without credentials. */
const OPEN =
  `getServer getConnection getClientConfig register activate findInvitation acceptInvitation requestPasswordReset confirmPasswordReset logout
  listToplist listUsualToplist listTags listPodcastsOfTag search searchAll getPodcast getEpisode listEpisodes getArtwork searchExternal listTrending
  listPodcastLists getPodcastList getSsoInfo loginByProxy beginLoginFlow beginLoginFlowShort pollLoginFlow pollLoginFlowShort
  getLoginFlow getNextcloudStatus getNewEpisodesFeed getInProgressFeed getTagFeed getQueueFeed getFolderFeed getPrivateSubscriptions isAlive isReady health`.split(
    /\s+/,
  )

/** The table of routes, and the routes of Elysia. */
function mount() {
  const { services, clock } = app
  const origins = createOrigins({ baseUrl: undefined, trustedProxies: [], peerOf: () => undefined })
  const { authentication } = services
  const room = createBodyRoom({ maxBytes: 0, timer: systemTimer })
  const authGuard = createAuthGuard({ authentication, room, origins, cookiePath: '/', sessionSeconds: 1 })
  const table = [
    ...healthRoutes({ ready: async () => undefined }),
    ...apiRoutes({
      services,
      authGuard,
      origins,
      clock,
      hub: createHintHub(systemTimer),
      lastUnbelieved: () => undefined,
    }),
  ]
  return { table, routes: mountRoutes(table, authGuard, NO_IDLE_LIMIT).routes }
}

test('docs/openapi.json is the description of the server, in a canonical format', async () => {
  const text = await Bun.file(`${import.meta.dir}/../docs/openapi.json`).text()
  const golden: unknown = JSON.parse(text)
  const current = { ...document, info: { ...recordAt(document, 'info'), version: version } }
  if (!Bun.deepEquals(golden, current))
    throw new Error('docs/openapi.json is out of date. Run `bun run generate:openapi` and look at what changed.')
  expect(text).toBe(`${JSON.stringify(golden, null, 2)}\n`)
})

describe('every route', () => {
  const { table, routes } = mount()
  const all = routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` }))

  test.each(all)('$name has schemas of its response and path parameters', ({ hooks, path }) => {
    const { response, params } = recordAt(hooks)
    expect(Object.keys(recordAt(response))).toEqual(['200'])
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    expect(Object.keys(isRecord(params) ? recordAt(params, 'properties') : {})).toEqual(names)
  })

  test('is described exactly once, and there are no other descriptions', () => {
    const described = table.map(({ method, path }) => {
      const documented = path.replace(':device', ':deviceid').replaceAll(/:(\w+)/g, '{$1}')
      return `${method.toLowerCase()} ${documented}`
    })
    expect(new Set(described)).toEqual(new Set(operations.map(({ name }) => name)))
    expect(new Set(described).size).toBe(described.length)
    expect(all.length).toBe(described.length)
  })

  test('exists under its described path and methods only', async () => {
    const client = clientOf(app)
    const paths = Map.groupBy(operations, ({ path }) => path)
    for (const [path, described] of paths) {
      const { status, headers } = await client.call('PATCH', fillPath(path))
      expect([path, status]).toEqual([path, 405])
      const allowed = (headers.get('allow') ?? '').split(', ').filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      // The page that asks for consent has the path of the button's request.
      const pages = path === '/login/flow/{token}' ? ['GET'] : []
      const methods = [...pages, ...described.map(({ method }) => method.toUpperCase())]
      expect([path, new Set(allowed)]).toEqual([path, new Set(methods)])
    }
  })
})

describe('the description', () => {
  test('has a unique ID for every operation', () => {
    const ids = operations.map(({ operation }) => operation['operationId'])
    expect(ids.filter((id) => typeof id !== 'string' || !/^[a-z][A-Za-z]+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('describes exactly the tags in use, in order', () => {
    const tags = list(document['tags']).map((tag) => recordAt(tag))
    for (const tag of tags) expect(tag['description']).toEqual(expect.stringMatching(/\.$/))
    const used = operations.flatMap(({ operation }) => operation['tags'])
    expect([...new Set(used)]).toEqual(tags.map(({ name }) => name))
  })

  test('contains no internal notes', () => {
    expect(JSON.stringify(document)).not.toMatch(/protocol\.md|\bD\d{1,2}\b|"x-|Elysia|undefined/)
  })

  test('has no broken references and no unused components', () => {
    const refs = new Set(refsIn(document))
    expect(refs.size).toBeGreaterThan(5)
    for (const ref of refs) expect([ref, resolveRef(document, ref)]).toEqual([ref, expect.anything()])
    const components = recordAt(document, 'components')
    const named = ['schemas', 'responses'].flatMap((kind) =>
      Object.keys(recordAt(components, kind)).map((name) => `#/components/${kind}/${name}`),
    )
    expect(named.filter((ref) => !refs.has(ref))).toEqual([])
  })

  test('has the root as the server of health checks, even if base_url has a path', async () => {
    const inner = startTestApp({ settings: { base_url: 'https://home.example/podcasts' } })
    const { json } = await clientOf(inner).get('/podcasts/openapi.json')
    expect(json).toMatchObject({ servers: [{ url: '/podcasts' }] })
    const paths = recordAt(json, 'paths')
    const atRoot = Object.keys(paths).filter((path) => 'servers' in recordAt(paths, path))
    expect(atRoot).toEqual(['/healthz', '/readyz', '/health'])
    expect(paths['/healthz']).toMatchObject({ servers: [{ url: '/' }] })
    expect(document).toMatchObject({ servers: [{ url: '/' }] })
  })
})

test('every example of an error has an error code of its status', () => {
  const answers = operations.flatMap(({ operation }) =>
    Object.values(recordAt(operation, 'responses')).map((each) => resolved(document, each)),
  )
  const errors = answers
    .flatMap(({ content }) => (isRecord(content) ? (content['application/json'] ?? []) : []))
    .map((media) => recordAt(media))
    .filter(({ schema }) => isRecord(schema) && '$ref' in schema)
  expect(errors.length).toBeGreaterThan(100)
  for (const { example } of errors) {
    const { code, error } = recordAt(example)
    expect(listErrorCodes()).toContainEqual({
      status: Number(code),
      code: String(error),
      meaning: expect.stringMatching(/^.{10,}\.$/),
    })
  }
})

describe.each(operations)('$name', ({ path, operation }) => {
  const answers = recordAt(operation, 'responses')
  const statuses = Object.keys(answers)
  const parameters = list(operation['parameters']).map((parameter) => recordAt(parameter))

  test('has a summary of one line, and one tag', () => {
    expect(operation['summary']).toEqual(expect.stringMatching(/^[A-Z0-9].{5,79}[^.]$/))
    expect(operation['tags']).toEqual([expect.stringMatching(/^[A-Z]/)])
  })

  test('describes all parameters of path and query', () => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const required = parameters.filter((parameter) => parameter['in'] === 'path')
    expect(required.map(({ name }) => name)).toEqual(inPath)
    for (const parameter of required) expect(parameter['required']).toBe(true)
    for (const parameter of parameters) expect(parameter['description']).toEqual(expect.stringMatching(/^.{10,}\.$/))
  })

  test('describes all responses, and errors with the schema of errors', () => {
    for (const status of statuses) {
      const answer = resolved(document, answers[status])
      expect([status, answer['description']]).toEqual([status, expect.stringMatching(/^[A-Z`].{8,}\.$/)])
      if (Number(status) >= 400)
        expect(answer).toMatchObject({
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { code: Number(status) } },
          },
        })
    }
  })

  test('lists the errors of authentication if it requires credentials', () => {
    if (needsCredentials(operation)) expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '503']))
    else expect(OPEN).toContain(String(operation['operationId']))
  })

  test('has examples of all bodies', () => {
    const bodies = [operation['requestBody'], answers['200']].filter((body) => body !== undefined)
    for (const body of bodies.map((each) => resolved(document, each)))
      for (const [type, media] of Object.entries(isRecord(body['content']) ? body['content'] : {}))
        expect([type, media]).toEqual([type, expect.objectContaining({ example: expect.anything() })])
  })
})

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  )
}
