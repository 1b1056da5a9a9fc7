import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ownName } from './session.ts'

/** Data of the user that components share. Cleared when the user signs out. */
export interface Resource<T> {
  /** Last loaded value; undefined until then. It stays during a reload. */
  readonly value: ReadonlySignal<T | undefined>
  /** Returns the last or pending answer, or loads again if it is too old. Rejects with `ApiError`. */
  get(): Promise<T>
  /** Loads it again. Rejects with `ApiError`. */
  load(): Promise<T>
  /** Sets a value known from elsewhere, which counts as just loaded. */
  set(value: T): void
}

/** Milliseconds after which data is loaded again, since apps may have changed it. */
const MAX_AGE = 60_000

const forget = new Set<() => void>()

computed(ownName).subscribe(() => {
  for (const each of forget) each()
})

/** Runs `work` when another user signs in or the user signs out. */
export function onUserChange(work: () => void): void {
  forget.add(work)
}

/**
 * Creates data that is loaded once for all components. Only the answer to the latest request counts, and answers to
 * requests of an earlier user are dropped.
 */
export function createResource<T>(request: () => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined

  function load(): Promise<T> {
    const loading = { at: Date.now(), answer: request() }
    last = loading
    loading.answer.then(
      (answer) => {
        if (last === loading) value.value = answer
      },
      () => {
        // The next call retries after a failure.
        if (last === loading) last = undefined
      },
    )
    return loading.answer
  }

  onUserChange(() => {
    last = undefined
    value.value = undefined
  })

  return {
    value,
    load,
    get: () => (last && Date.now() - last.at <= MAX_AGE ? last.answer : load()),
    set(answer) {
      last = { at: Date.now(), answer: Promise.resolve(answer) }
      value.value = answer
    },
  }
}
