import type { Signal } from '@preact/signals'

/** A handler that sets a signal to `value`. */
export function setTo<T>(signal: Signal<T>, value: NoInfer<T>): () => void {
  return () => {
    signal.value = value
  }
}

/** A handler that sets a signal to what it is called with. */
export function setter<T>(signal: Signal<T>): (value: T) => void {
  return (value) => {
    signal.value = value
  }
}
