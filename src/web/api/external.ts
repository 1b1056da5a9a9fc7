import { type Answer, callWithHeaders, type OperationName, type Options } from './client.ts'

/** State of the external directory: answered, not configured (`off`) or failed. */
export type ExternalState = 'ok' | 'off' | 'error'

export interface WithExternal<A> {
  readonly answer: A
  readonly state: ExternalState
}

/** Calls an operation that uses the external directory, whose state is in the header `X-External-Directory`. */
export async function callExternal<N extends OperationName & ('searchAll' | 'listTrending')>(
  name: N,
  options: Options<N>,
): Promise<WithExternal<Answer<N>>> {
  const { answer, headers } = await callWithHeaders(name, options)
  const state = headers.get('x-external-directory')
  return { answer, state: state === 'off' || state === 'error' ? state : 'ok' }
}
