import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ownName } from './session.ts'

/** Data of the user that all components share. It is forgotten when the user signs out. */
export interface Resource<T> {
  /** What was loaded last; undefined until then. It stays while it is loaded again. */
  readonly value: ReadonlySignal<T | undefined>
  /** What was loaded last, or is being loaded, unless it is too old; then it is loaded again. Rejects with `ApiError`. */
  get(): Promise<T>
  /** Loads it again. Rejects with `ApiError`. */
  load(): Promise<T>
  /** Replaces it with what is known from elsewhere. It counts as just loaded. */
  set(value: T): void
}

/** Milliseconds after which data is loaded again, since apps change it, too. */
const MAX_AGE = 60_000

const forget = new Set<() => void>()

computed(ownName).subscribe(() => {
  for (const each of forget) each()
})

/** Runs `work` when another user signs in, or nobody is signed in any more. */
export function onUserChange(work: () => void): void {
  forget.add(work)
}

/**
 * Loads something once for all components. Of answers that overtake each other the one to the last request counts, and
 * the answer to a request of another user never does.
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
        // After a failure the next call tries again.
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
    set(known) {
      last = { at: Date.now(), answer: Promise.resolve(known) }
      value.value = known
    },
  }
}
