import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { recoveries } from '../pwa/offline.ts'

/** Data from the server. While it is loaded again the old data stays, so that the page does not jump. */
export interface Query<T> {
  readonly data: Signal<T | undefined>
  readonly error: Signal<unknown>
  readonly isLoading: Signal<boolean>
  reload(): Promise<void>
}

/**
 * Loads data when the component is mounted, whenever one of `keys` changes, and when the server can be reached again. A
 * running request is then aborted.
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

/** Calls `onSettled` once, when a query has its data or an error for the first time. */
export function useSettled({ data, error }: Query<unknown>, onSettled: () => void): void {
  const isSettled = data.value !== undefined || error.value !== undefined
  useEffect(() => {
    if (isSettled) onSettled()
  }, [isSettled])
}

/** The state of a change that is sent to the server. */
export interface Mutation<T> {
  readonly isBusy: Signal<boolean>
  /** Whether the last run has succeeded. */
  readonly isDone: Signal<boolean>
  /** What the last run has resolved to; undefined if it failed. */
  readonly data: Signal<T | undefined>
  /** The error of the last run; undefined if it succeeded. */
  readonly error: Signal<unknown>
  /** Resolves to whether `work` succeeded; never rejects. */
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
