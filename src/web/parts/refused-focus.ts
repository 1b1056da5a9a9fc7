import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** For a form: after a refusal the field to blame takes the focus, which the button has lost while it was busy; without one the button. */
export function useRefusedFocus(error: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error === undefined) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const button = form.current?.querySelector<HTMLElement>('[type="submit"]')
    ;(field ?? button)?.focus()
  }, [error])
  return form
}
