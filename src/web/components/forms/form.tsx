import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface FormProps {
  /** Error of the last attempt; `undefined` unless it failed. */
  readonly error: unknown
  readonly class?: string | undefined
  readonly noValidate?: boolean
  readonly onSubmit: (form: HTMLFormElement) => unknown
  readonly children: ComponentChildren
}

/**
 * Form submitted by script. An error moves the focus to the invalid field, if any. Otherwise the submit button regains
 * the focus that it lost while it was disabled.
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
