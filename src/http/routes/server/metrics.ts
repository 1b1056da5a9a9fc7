import { Elysia } from 'elysia'
import { DomainError } from '../../../domain/shared/errors.ts'
import { isSameSecret } from '../../../platform/crypto.ts'
import type { Secret } from '../../../platform/secret.ts'
import { parseBearer } from '../../credentials.ts'
import { errorBody, statusOf } from '../../errors.ts'
import { STANDARD_HEADERS } from '../../responses/send.ts'
import { TextResponse } from '../../responses/text-response.ts'

export interface Metrics {
  readonly token: Secret
  read(): Promise<{ readonly text: string; readonly contentType: string }>
}

/** Always at the root, even with a sub-path, and not part of the API description. */
export function metricsRoutes({ token, read }: Metrics) {
  return new Elysia().get('/metrics', async ({ request }) => {
    const sentToken = parseBearer(request.headers.get('authorization'))
    if (sentToken === undefined || !isSameSecret(token, sentToken)) return unauthorized()
    const { text, contentType } = await read()
    return new TextResponse(text, contentType)
  })
}

/** Unlike other errors, it asks for a Bearer token, so that browsers do not prompt for a useless password. */
function unauthorized(): Response {
  const error = new DomainError('unauthorized', 'send metrics_token as Authorization: Bearer')
  const headers = { ...STANDARD_HEADERS, 'www-authenticate': 'Bearer realm="metrics"' }
  return Response.json(errorBody(error), { status: statusOf(error), headers })
}
