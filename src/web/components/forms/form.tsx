import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface FormProps {
  /** The error of the last attempt, if it failed. */
  readonly error: unknown
  readonly class?: string | undefined
  readonly noValidate?: boolean
  readonly onSubmit: (form: HTMLFormElement) => unknown
  readonly children: ComponentChildren
}

/**
 * A form that is sent by a script. After an error the invalid field gets the focus. If no field is to blame, the submit
 * button gets it back, which it lost while it was disabled.
 */
export function Form({ error, class: classes = 'stack', noValidate = false, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error === undefined) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const button = form.current?.querySelector<HTMLElement>('[type="submit"]')
    if (field) field.focus()
    else if (!form.current?.contains(document.activeElement)) button?.focus()
  }, [error])

  return (
    <form
      ref={form}
      class={classes}
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit(event.currentTarget)
      }}
    >
      {children}
    </form>
  )
}
