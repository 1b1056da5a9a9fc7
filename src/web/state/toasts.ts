import { signal } from '@preact/signals'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
  /** What the person may still do about it, such as taking it back. */
  readonly action?: { readonly label: string; readonly run: () => void }
}

export const toasts = signal<readonly Toast[]>([])

const SECONDS = 8
let next = 1

/** Says something in a corner and to screen readers, for some seconds. Returns how to take it away. */
export function toast(text: string, options: Partial<Pick<Toast, 'kind' | 'action'>> = {}): () => void {
  const id = next++
  const remove = () => {
    toasts.value = toasts.value.filter((each) => each.id !== id)
  }
  toasts.value = [...toasts.value.slice(-3), { id, text, kind: 'info', ...options }]
  setTimeout(remove, SECONDS * 1000)
  return remove
}
