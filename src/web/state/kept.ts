import { effect, type Signal, signal } from '@preact/signals'

/** A choice that this browser keeps. What is kept and is none of the choices any more is forgotten. */
export function kept<T extends string>(name: string, choices: readonly T[], first: T): Signal<T> {
  const key = `podstep.${name}`
  const stored = localStorage.getItem(key)
  const value = signal<T>(choices.find((choice) => choice === stored) ?? first)
  effect(() => localStorage.setItem(key, value.value))
  return value
}
