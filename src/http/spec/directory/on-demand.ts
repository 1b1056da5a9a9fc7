import { ErrorModel } from '../shared/models.ts'

const unknown = {
  404: {
    description: 'There is no such podcast, it cannot be had, or it is private to others.',
    error: 'unknown_podcast',
    message: 'the server knows no such podcast',
  },
} as const
const limited = {
  429: {
    description: 'More than 6 feeds that nobody here has, from this address within a minute.',
    error: 'rate_limited',
    message: 'too many attempts, try again later',
  },
} as const
export const onDemandErrors = {
  400: ErrorModel,
  403: ErrorModel,
  404: ErrorModel,
  422: ErrorModel,
  429: ErrorModel,
  502: ErrorModel,
  503: ErrorModel,
}
/** What the lookups have in common (docs/protocol.md#D51). */
export const ON_DEMAND =
  'A feed that nobody here has is fetched, if the settings allow it. Why one cannot be had is told to people with an account alone; for others there is no such podcast. Private podcasts are there for their own subscribers.'

export const onDemandErrorExamples = { ...unknown, ...limited }

export const onDemandEpisodeErrorExamples = {
  404: {
    description: 'There is no such podcast, or it has no such episode.',
    error: 'unknown_episode',
    message: 'the podcast has no such episode',
  },
  ...limited,
} as const
