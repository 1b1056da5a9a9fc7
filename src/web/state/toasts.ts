import { createShelf, type Toast } from './toast-shelf.ts'

export const shelf = createShelf((milliseconds, work) => {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
})

/**
 * Says something in a corner and to screen readers, for some seconds; instead of what was said about the same `subject`. Without one,
 * the same text is the same subject, and an error takes the place of another. Returns how to take it away.
 */
export function toast(text: string, options: Partial<Pick<Toast, 'kind' | 'action' | 'subject'>> = {}): () => void {
  const subject = options.kind === 'error' ? 'error' : text
  const id = shelf.add({ text, kind: 'info', subject, ...options })
  return () => shelf.remove(id)
}
