import { signal } from '@preact/signals'

export const toastStore = createToastStore((milliseconds, work) => {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
})

/**
 * Says something in a corner and to screen readers, for some seconds; instead of what was said about the same `subject`. Without one,
 * the same text is the same subject, and an error takes the place of another. Returns how to take it away.
 */
export function toast(text: string, options: Partial<Pick<Toast, 'kind' | 'action' | 'subject'>> = {}): () => void {
  const subject = options.kind === 'error' ? 'error' : text
  const id = toastStore.add({ text, kind: 'info', subject, ...options })
  return () => toastStore.remove(id)
}

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
  /** What it is about, such as the address of a feed: of two messages about the same the later one is true. */
  readonly subject: string
  /** What the person may still do about it, such as taking it back. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

interface ToastStore {
  /** Shows a message, at most beside one other. Returns its `id`. */
  add(toast: Omit<Toast, 'id'>): number
  remove(id: number): void
  /** Somebody reads or uses it: it stays until `release`, and then as long as a new one. */
  hold(id: number): void
  release(id: number): void
}

/** Does something later; returns how to call it off. */
type Schedule = (milliseconds: number, work: () => void) => () => void

const SECONDS = 8
/** Who is to decide needs longer, above all without a mouse. */
const ACTION_SECONDS = 15
const SHOWN_MAX = 2

export const toasts = signal<readonly Toast[]>([])

/** Keeps `toasts`. */
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
    if (!toast) return
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
      show([...others.slice(1 - SHOWN_MAX), { ...toast, id }])
      release(id)
      return id
    },
    remove,
    hold,
    release,
  }
}
