import { Elysia, t } from 'elysia'
import { ErrorModel, Ok } from '../models.ts'
import { operation } from '../operation.ts'
import { shape } from '../shape.ts'

export interface Health {
  /** Resolves while the database can be written; rejects with `unavailable` otherwise, and while the server is stopping. */
  ready(): Promise<void>
}

/** At the root whatever the sub-path, without login and without limits. */
export function healthRoutes(health: Health) {
  const readiness = async () => {
    await health.ready()
    return { status: 'ok' as const }
  }
  const response = { 200: Ok, 503: ErrorModel }
  const detail = (path: string) => operation('Health', path, '200 only while the database can be written')
  return new Elysia()
    .get('/healthz', () => ({ status: 'ok' as const }), {
      response: { 200: shape({ status: t.Literal('ok') }) },
      detail: operation('Health', '/healthz', '200 while the process answers'),
    })
    .get('/readyz', readiness, { response, detail: detail('/readyz') })
    .get('/health', readiness, { response, detail: detail('/health') })
}
