import { type Signal, useSignal } from '@preact/signals'

/** The state of a change that is sent to the server. */
export interface Mutation {
  readonly isBusy: Signal<boolean>
  /** The error of the last run; undefined if it succeeded. */
  readonly error: Signal<unknown>
  /** Resolves to whether `work` succeeded; never rejects. */
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
