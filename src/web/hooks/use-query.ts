import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Something that comes from the server: what it was last stays while it is fetched anew, so that nothing jumps. */
export interface Query<T> {
  readonly data: Signal<T | undefined>
  readonly error: Signal<unknown>
  readonly isLoading: Signal<boolean>
  reload(): Promise<void>
}

/** Fetches when the component comes and whenever one of `keys` changes; the answer to an older question is dropped. */
export function useQuery<T>(fetcher: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[] = []): Query<T> {
  const data = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isLoading = useSignal(true)
  const current = useSignal<AbortController | undefined>(undefined)

  async function reload(): Promise<void> {
    current.value?.abort()
    const controller = new AbortController()
    current.value = controller
    isLoading.value = true
    try {
      const answer = await fetcher(controller.signal)
      if (controller.signal.aborted) return
      data.value = answer
      error.value = undefined
    } catch (reason) {
      if (controller.signal.aborted) return
      error.value = reason
    }
    isLoading.value = false
  }

  useEffect(() => {
    void reload()
    return () => current.value?.abort()
  }, keys)

  return { data, error, isLoading, reload }
}
