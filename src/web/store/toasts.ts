import { signal } from '@preact/signals'

export const toastStore = createToastStore((milliseconds, work) => {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
})

/**
 * Shows a message in a corner and announces it to screen readers. Errors stay until closed, other messages for some
 * seconds. Replaces a message with the same `subject`, which defaults to the text, or for errors to a shared value.
 * Returns a function that removes the message.
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
  /** English message of the server or the browser. */
  readonly detail?: string
  readonly kind: 'info' | 'error'
  /** Subject, such as a feed URL. A later message with the same subject replaces an earlier one. */
  readonly subject: string
  /** Button, such as one that undoes the change. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

interface ToastStore {
  /** Shows a message next to at most one other. Returns its ID. */
  add(toast: Omit<Toast, 'id'>): number
  remove(id: number): void
  /** Keeps a message while the user hovers over or focuses it. `release` restarts its timer. */
  hold(id: number): void
  release(id: number): void
}

/** Schedules work. Returns a function that cancels it. */
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
    const shownIds = new Set(list.map(({ id }) => id))
    for (const { id } of toasts.value) if (!shownIds.has(id)) hold(id)
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
      // Remove the oldest message. Errors go last, as the user has not closed them yet.
      const replaced = others.length < SHOWN_MAX ? undefined : (others.find(({ kind }) => kind === 'info') ?? others[0])
      show([...others.filter((other) => other !== replaced), { ...toast, id }])
      release(id)
      return id
    },
    remove,
    hold,
    release,
  }
}
