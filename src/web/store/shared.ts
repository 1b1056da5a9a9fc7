/** Something that several parts of the page need, loaded once for all of them. */
export interface Shared<T> {
  /** What was last loaded, or is being loaded, unless it is too old. */
  know(): Promise<T>
  /** Loads it anew, for all who ask from now on as well. */
  load(): Promise<T>
  forget(): void
}

/** `fresh` is for how many milliseconds nobody asks again. */
export function createShared<T>(request: () => Promise<T>, fresh: number): Shared<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined

  function load(): Promise<T> {
    const loading = { at: Date.now(), answer: request() }
    last = loading
    // Whoever asks next tries again.
    loading.answer.catch(() => {
      if (last === loading) last = undefined
    })
    return loading.answer
  }

  return {
    load,
    know: () => (last && Date.now() - last.at <= fresh ? last.answer : load()),
    forget() {
      last = undefined
    },
  }
}
