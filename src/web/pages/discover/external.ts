import { type Answer, callWithHeaders, type Name, type Options } from '../../api/client.ts'

/** Whether an empty list of the external directory means that there is nothing, that there is no directory, or that it does not answer. */
export type ExternalState = 'ok' | 'off' | 'error'

export interface WithExternal<A> {
  readonly answer: A
  readonly state: ExternalState
}

/** Makes a request whose answer the external directory has part in (`X-External-Directory`). */
export async function callExternal<N extends Name & ('searchAll' | 'listTrending')>(
  name: N,
  options: Options<N>,
): Promise<WithExternal<Answer<N>>> {
  const { answer, headers } = await callWithHeaders(name, options)
  const state = headers.get('x-external-directory')
  return { answer, state: state === 'off' || state === 'error' ? state : 'ok' }
}
