import { t } from 'elysia'
import { shape } from './shape.ts'

/** Wire shapes that several routes share. Names and cases are the protocol's. */

export const ErrorModel = shape(
  {
    code: t.Integer({ description: 'The HTTP status.' }),
    error: t.String({ description: 'A stable machine word.' }),
    message: t.String({ description: 'English text for people.' }),
    field: t.Optional(t.String({ description: 'The one field to blame, if there is one.' })),
  },
  { description: 'Every error of every endpoint (D17).' },
)

export const Ok = shape({ status: t.Literal('ok') })

export const Empty = t.String({ maxLength: 0, description: 'An empty body; clients take any text for an error.' })

export const UpdateUrls = t.Array(t.Tuple([t.String(), t.String()]), {
  description: 'URLs the server rewrote, as [uploaded, stored]; stored is "" for a URL that was not accepted.',
})

export const Timestamp = t.Integer({ description: 'To be sent as `since` next time.' })

export const SinceQuery = shape({
  since: t.Optional(t.String({ description: 'The last `timestamp` received; missing means everything.' })),
})

/** The refusals every endpoint behind a login can answer with. */
export const protectedErrors = { 401: ErrorModel, 403: ErrorModel, 429: ErrorModel, 503: ErrorModel } as const
