import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { recoveries } from '../pwa/offline.ts'

/** Data from the server. Old data stays during a reload, so that the page does not jump. */
export interface Query<T> {
  readonly data: Signal<T | undefined>
  readonly error: Signal<unknown>
  readonly isLoading: Signal<boolean>
  reload(): Promise<void>
}

/**
 * Loads data when the component mounts, one of `keys` changes or the server becomes reachable again. Aborts a running
 * request first.
 */
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
  }, [...keys, recoveries.value])

  return { data, error, isLoading, reload }
}

/** Calls `onSettled` once, when a query first has data or an error. */
export function useSettled({ data, error }: Query<unknown>, onSettled: () => void): void {
  const isSettled = data.value !== undefined || error.value !== undefined
  useEffect(() => {
    if (isSettled) onSettled()
  }, [isSettled])
}

/** State of a change sent to the server. */
export interface Mutation<T> {
  readonly isBusy: Signal<boolean>
  readonly isDone: Signal<boolean>
  /** Result of the last run; undefined if it failed. */
  readonly data: Signal<T | undefined>
  /** Error of the last run; undefined if it succeeded. */
  readonly error: Signal<unknown>
  /** Resolves to whether `work` succeeded. Never rejects. */
  run(work: () => Promise<T>): Promise<boolean>
}

export function useMutation<T = unknown>(): Mutation<T> {
  const isBusy = useSignal(false)
  const isDone = useSignal(false)
  const data = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(undefined)

  async function run(work: () => Promise<T>): Promise<boolean> {
    isBusy.value = true
    isDone.value = false
    data.value = undefined
    error.value = undefined
    try {
      data.value = await work()
      isDone.value = true
    } catch (reason) {
      error.value = reason
    }
    isBusy.value = false
    return isDone.value
  }

  return { isBusy, isDone, data, error, run }
}
