import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useMutation } from '../../hooks/use-mutation.ts'
import { t } from '../../locales/index.ts'
import { type ErrorScope, errorMessage } from '../feedback/error-message.ts'
import { Notice } from '../feedback/notice.tsx'
import { Button } from './button.tsx'
import { useErrorFocus } from './focus.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Focuses the title instead of the first control, for dialogs that are mostly to be read. */
  readonly isText?: boolean
  readonly children: ComponentChildren
}

/** A modal dialog. The browser keeps the focus inside, restores it afterwards, and closes the dialog with Escape. */
export function Dialog({ title, onClose, isText = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    if (isText) heading.current?.focus()
  }, [])
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-body">
        <h2 id={id} ref={heading} tabIndex={isText ? -1 : undefined}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}

export function DialogActions({ children }: { children: ComponentChildren }) {
  return <div class="dialog-actions">{children}</div>
}

/** For a button in a dialog: closes it as Escape does, so that the focus is restored. */
export function closeDialog({ currentTarget }: Event): void {
  if (currentTarget instanceof Element) currentTarget.closest('dialog')?.close()
}

interface FormDialogProps {
  readonly title: string
  /** The label of the submit button. */
  readonly submit: string
  readonly kind?: 'main' | 'danger'
  /** Whether the form can be submitted. */
  readonly isReady?: boolean
  /** Where the texts for errors are. */
  readonly errorScope?: ErrorScope
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
  /** Called after success, when the dialog is closed. */
  readonly onDone?: () => void
  readonly children: ComponentChildren
}

/** A modal dialog with a form. It closes after success, and otherwise shows the error. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, kind = 'main', isReady = true, errorScope, onSubmit, onClose, onDone, children } = props
  const { isBusy, error, run } = useMutation()
  const form = useErrorFocus(error.value)

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (!(await run(onSubmit))) return
    form.current?.closest('dialog')?.close()
    onDone?.()
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} class="stack" onSubmit={(event) => void send(event)}>
        {children}
        {error.value !== undefined && (
          <Notice kind="error">
            <p>{errorMessage(error.value, errorScope)}</p>
          </Notice>
        )}
        <DialogActions>
          <Button kind="quiet" onClick={closeDialog}>
            {t('common.cancel')}
          </Button>
          <Button kind={kind} type="submit" isBusy={isBusy.value} disabled={!isReady}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
