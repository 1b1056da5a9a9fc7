import { type ComponentChildren, createPortal } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useBackToClose } from '../../hooks/use-back.ts'
import { useMutation } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { ErrorNotice, type ErrorScope, errorMessage } from '../feedback/notice.tsx'
import type { IconName } from '../icon.tsx'
import { Button } from './button.tsx'
import { Form } from './form.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Focuses the title instead of the first control, for dialogs that are mostly text. */
  readonly isText?: boolean
  /** Fills the screen of a phone. The content has to provide the close button. */
  readonly isSheet?: boolean
  /** Also closes on a click outside. Only for dialogs without text input that are easy to reopen. */
  readonly isLight?: boolean
  readonly children: ComponentChildren
}

/**
 * Modal dialog. It closes with its close button, Escape, or the back key of a phone. The browser keeps the focus inside
 * and restores it afterwards. The dialog is rendered outside the page because styles of the page must not apply to it.
 */
export function Dialog({ title, onClose, isText = false, isSheet = false, isLight = isSheet, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useBackToClose(true, () => dialog.current?.close())
  useEffect(() => {
    dialog.current?.showModal()
    if (isText) heading.current?.focus()
  }, [])
  return createPortal(
    <dialog
      class={`dialog${isSheet ? ' dialog-sheet' : ''}`}
      ref={dialog}
      aria-labelledby={id}
      closedby={isLight ? 'any' : 'closerequest'}
      onClose={onClose}
    >
      <div class="stack dialog-body">
        <h2 id={id} ref={heading} tabIndex={isText ? -1 : undefined}>
          {title}
        </h2>
        {children}
        {/* Last, so that the dialog focuses the first control of its content. */}
        {!isSheet && (
          <div class="dialog-close">
            <Button kind="quiet" icon="cross" label={t('common.close')} onClick={closeDialog} />
          </div>
        )}
      </div>
    </dialog>,
    document.body,
  )
}

/** Button that closes the dialog it is in. */
export function CancelButton() {
  return (
    <Button kind="quiet" onClick={closeDialog}>
      {t('common.cancel')}
    </Button>
  )
}

export function DialogActions({ children }: { children: ComponentChildren }) {
  return <div class="dialog-actions">{children}</div>
}

/** Click handler that closes the surrounding dialog, if any, so that the browser restores the focus. */
export function closeDialog({ currentTarget }: Event): void {
  if (currentTarget instanceof Element) currentTarget.closest('dialog')?.close()
}

interface FormDialogProps {
  readonly title: string
  /** Label of the submit button. */
  readonly submit: string
  readonly kind?: 'main' | 'danger'
  readonly icon?: IconName
  readonly isReady?: boolean
  readonly errorScope?: ErrorScope
  /** Overrides the text for the error code. */
  readonly errorText?: (error: unknown) => string
  /** Replaces the browser's validation. Returning false prevents the submit. */
  readonly validate?: () => boolean
  readonly class?: string
  readonly onSubmit: () => Promise<unknown>
  readonly onClose: () => void
  /** Called after success, when the dialog is closed. */
  readonly onDone?: () => void
  /** Fields, or a function of the error if it may refer to one of them. */
  readonly children: ComponentChildren | ((error: unknown) => ComponentChildren)
}

/** Modal dialog with a form. It closes on success and shows the error otherwise. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, kind = 'main', icon, isReady = true, validate, onSubmit, onClose, onDone, children } = props
  const { errorText = (reason) => errorMessage(reason, props.errorScope) } = props
  const { isBusy, error, run } = useMutation()

  async function send(form: HTMLFormElement): Promise<void> {
    if (validate?.() === false || !(await run(onSubmit))) return
    form.closest('dialog')?.close()
    onDone?.()
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={error.value} class={props.class} noValidate={validate !== undefined} onSubmit={send}>
        {typeof children === 'function' ? children(error.value) : children}
        <ErrorNotice text={errorText(error.value)} error={error.value} />
        <DialogActions>
          <CancelButton />
          <Button kind={kind} icon={icon} type="submit" isBusy={isBusy.value} disabled={!isReady}>
            {submit}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
