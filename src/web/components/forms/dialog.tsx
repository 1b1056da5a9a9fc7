import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useMutation } from '../../hooks/use-mutation.ts'
import { t } from '../../locales/index.ts'
import { errorMessage } from '../feedback/error-message.ts'
import { Notice } from '../feedback/notice.tsx'
import { Button } from './button.tsx'
import { useErrorFocus } from './focus.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** There is more to read than to do: begins at the title, not at the first control. */
  readonly isRead?: boolean
  readonly children: ComponentChildren
}

/** A question in the way. The browser keeps the focus inside, gives it back, and closes with Escape. */
export function Dialog({ title, onClose, isRead = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    if (isRead) heading.current?.focus()
  }, [])
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-body">
        <h2 id={id} ref={heading} tabIndex={isRead ? -1 : undefined}>
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

/** For a button in a dialog: closes it as Escape does, so that the focus goes back. */
export function closeDialog({ currentTarget }: Event): void {
  if (currentTarget instanceof Element) currentTarget.closest('dialog')?.close()
}

interface FormDialogProps {
  readonly title: string
  /** What the button that does it says. */
  readonly submit: string
  readonly kind?: 'main' | 'danger'
  /** Whether enough is filled in. */
  readonly isReady?: boolean
  /** The page's words for refusals. */
  readonly wordsFor?: (error: unknown) => string
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
  /** After it has worked, when the dialog is gone. */
  readonly onDone?: () => void
  readonly children: ComponentChildren
}

/** A form in the way: closes when it has worked, and else says why not. */
export function FormDialog(props: FormDialogProps) {
  const {
    title,
    submit,
    kind = 'main',
    isReady = true,
    wordsFor = errorMessage,
    onSubmit,
    onClose,
    onDone,
    children,
  } = props
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
            <p>{wordsFor(error.value)}</p>
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
