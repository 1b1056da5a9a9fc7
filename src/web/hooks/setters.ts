import type { Signal } from '@preact/signals'

/** Returns a handler that sets a signal to `value`. */
export function setTo<T>(signal: Signal<T>, value: NoInfer<T>): () => void {
  return () => {
    signal.value = value
  }
}

/** Returns a handler that sets a signal to its argument. */
export function setter<T>(signal: Signal<T>): (value: T) => void {
  return (value) => {
    signal.value = value
  }
}
