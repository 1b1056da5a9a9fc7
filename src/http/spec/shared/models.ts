import { t } from 'elysia'
import { objectSchema } from './schema.ts'

/** Wire shapes that several routes share. Names and cases are the protocol's. */

export const ErrorModel = objectSchema(
  {
    code: t.Integer({ description: 'The HTTP status.' }),
    error: t.String({ description: 'A stable machine word. There may be new ones.' }),
    message: t.String({ description: 'English text for people.' }),
    field: t.Optional(t.String({ description: 'The one field to blame, if there is one.' })),
  },
  { description: 'Every error response has this form.' },
)

export const Ok = objectSchema({ status: t.Literal('ok') }, { description: 'Done, and there is nothing more to say.' })

export const Empty = t.String({
  maxLength: 0,
  description: 'Done. The body is empty: clients take any text for an error.',
})

/** Of `username` in what changes an account for good: see `refuseIfMeantForOthers`. */
export const MEANT_FOR =
  'Whose account is meant, so that a page that was made for somebody else changes nothing; compared with the credentials if it is there.'

export const UpdateUrls = t.Array(t.Tuple([t.String(), t.String()]), {
  description: 'URLs the server rewrote, as `[uploaded, stored]`; `stored` is `""` for a URL that was not accepted.',
})

export const Timestamp = t.Integer({ description: 'Keep it, and send it as `since` next time.' })

export const SinceQuery = objectSchema({
  since: t.Optional(
    t.String({
      description: 'The last `timestamp` received. Missing or 0 means everything.',
      examples: ['1740909601'],
    }),
  ),
})

export const PAGE_PARAMETERS = {
  page: t.Optional(t.String({ description: 'Which page, counted from 0; the first unless given.', examples: ['0'] })),
  per_page: t.Optional(t.String({ description: 'How many on a page: 1 to 100, 20 unless given.', examples: ['20'] })),
} as const

export const PageQuery = objectSchema(PAGE_PARAMETERS)

/** The refusals every endpoint behind a login can answer with. */
export const protectedErrors = {
  400: ErrorModel,
  401: ErrorModel,
  403: ErrorModel,
  429: ErrorModel,
  503: ErrorModel,
} as const

/** For the description of routes that add devices or subscriptions. */
export const QUOTA_REMARK = {
  description:
    'The account would have more subscriptions or devices than `max_subscriptions` or `max_devices` says; nothing was changed.',
  error: 'quota_exceeded',
  message:
    'an account may have 500 devices (max_devices); nothing was changed: remove some first, or ask the administrator for more',
} as const
