import { signal } from '@preact/signals'

export const toastStore = createToastStore((milliseconds, work) => {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
})

/**
 * Shows a message in a corner for some seconds, or until it is closed if it is an error, and announces it to screen
 * readers. It replaces a message with the same `subject`; by default that is the text itself, and all errors share one
 * subject. Returns what removes it.
 */
export function toast(
  text: string,
  options: Partial<Pick<Toast, 'kind' | 'action' | 'subject' | 'detail'>> = {},
): () => void {
  const subject = options.kind === 'error' ? 'error' : text
  const id = toastStore.add({ text, kind: 'info', subject, ...options })
  return () => toastStore.remove(id)
}

export interface Toast {
  readonly id: number
  readonly text: string
  /** What a server or the browser says about it, in English. */
  readonly detail?: string
  readonly kind: 'info' | 'error'
  /** What the message is about, such as a feed URL: of two messages about the same thing only the later one is true. */
  readonly subject: string
  /** What the user may still do about it, such as undoing a change. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

interface ToastStore {
  /** Shows a message, beside at most one other. Returns its ID. */
  add(toast: Omit<Toast, 'id'>): number
  remove(id: number): void
  /** Keeps a message that the user points at or uses until `release`; then its time starts again. */
  hold(id: number): void
  release(id: number): void
}

/** Runs something later. Returns a function that cancels it. */
type Schedule = (milliseconds: number, work: () => void) => () => void

const SECONDS = 5
/** A message with a button stays longer, since reaching the button without a mouse takes time. */
const ACTION_SECONDS = 10
const SHOWN_MAX = 2

export const toasts = signal<readonly Toast[]>([])

/** Manages `toasts` and their timers. */
export function createToastStore(later: Schedule): ToastStore {
  const timers = new Map<number, () => void>()
  let next = 1

  function show(list: readonly Toast[]): void {
    const kept = new Set(list.map(({ id }) => id))
    for (const { id } of toasts.value) if (!kept.has(id)) hold(id)
    toasts.value = list
  }

  function remove(id: number): void {
    show(toasts.value.filter((each) => each.id !== id))
  }

  function hold(id: number): void {
    timers.get(id)?.()
    timers.delete(id)
  }

  function release(id: number): void {
    hold(id)
    const toast = toasts.value.find((each) => each.id === id)
    if (!toast || toast.kind === 'error') return
    const seconds = toast.action ? ACTION_SECONDS : SECONDS
    timers.set(
      id,
      later(seconds * 1000, () => remove(id)),
    )
  }

  return {
    add(toast) {
      const id = next++
      const others = toasts.value.filter(({ subject }) => subject !== toast.subject)
      // The oldest goes, but an error has not been closed yet.
      const gone = others.length < SHOWN_MAX ? undefined : (others.find(({ kind }) => kind === 'info') ?? others[0])
      show([...others.filter((other) => other !== gone), { ...toast, id }])
      release(id)
      return id
    },
    remove,
    hold,
    release,
  }
}
