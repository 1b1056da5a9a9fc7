import { Elysia } from 'elysia'
import { json, operation, type RouteDocs } from '../../openapi/operation.ts'
import { ErrorModel, Ok } from '../../spec/shared/models.ts'

export interface Health {
  /** Resolves while the database can be read and written; rejects with `unavailable` otherwise, and while the server is stopping. */
  ready(): Promise<void>
}

/** At the root whatever the sub-path, without login and without limits. */
export function healthRoutes(health: Health) {
  const readiness = async () => {
    await health.ready()
    return { status: 'ok' as const }
  }
  const response = { 200: Ok, 503: ErrorModel }
  const open = { 'x-credentials': 'none', 'x-root': true, 'x-response': json({ status: 'ok' }) } as const
  const ready: RouteDocs = {
    ...open,
    'x-refusals': {
      503: {
        description:
          'The database cannot be written or read, is damaged or gone; or the server is stopping. The message says which.',
        error: 'unavailable',
        message: 'the server is stopping',
      },
    },
  }
  return new Elysia()
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: Ok },
      detail: operation('Health', '/healthz', 'isAlive', 'Check that the server answers', open),
    })
    .get('/readyz', readiness, {
      response,
      detail: operation('Health', '/readyz', 'isReady', 'Check that the server can store something', ready),
    })
    .get('/health', readiness, {
      response,
      detail: operation('Health', '/health', 'health', 'Another name for `/readyz`', ready),
    })
}
