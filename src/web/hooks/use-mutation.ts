import { type Signal, useSignal } from '@preact/signals'

/** Something on its way to the server. */
export interface Mutation {
  readonly isBusy: Signal<boolean>
  /** Why the last one failed; undefined if it did not. */
  readonly error: Signal<unknown>
  /** Resolves to whether it worked; never rejects. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

export function useMutation(): Mutation {
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)

  async function run(work: () => Promise<unknown>): Promise<boolean> {
    isBusy.value = true
    error.value = undefined
    try {
      await work()
    } catch (reason) {
      error.value = reason
    }
    isBusy.value = false
    return error.value === undefined
  }

  return { isBusy, error, run }
}
