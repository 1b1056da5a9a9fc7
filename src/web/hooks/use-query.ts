import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Data from the server. While it is loaded again the old data stays, so that the page does not jump. */
export interface Query<T> {
  readonly data: Signal<T | undefined>
  readonly error: Signal<unknown>
  readonly isLoading: Signal<boolean>
  reload(): Promise<void>
}

/** Loads data when the component is mounted and whenever one of `keys` changes. A request that is still running is then aborted. */
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
