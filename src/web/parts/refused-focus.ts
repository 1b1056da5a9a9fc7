import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * For a form: after a refusal the field to blame takes the focus. Without one the button takes back what it has lost while it was busy;
 * a field that the form was sent from has kept it.
 */
export function useRefusedFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error === undefined) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const button = form.current?.querySelector<HTMLElement>('[type="submit"]')
    if (field) field.focus()
    else if (!form.current?.contains(document.activeElement)) button?.focus()
  }, [error])
  return form
}
