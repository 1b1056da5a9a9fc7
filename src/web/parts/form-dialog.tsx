import type { ComponentChildren } from 'preact'
import { useSending } from '../state/sending.ts'
import { t } from '../text/index.ts'
import { Button } from './button.tsx'
import { closeDialog, Dialog, DialogActions } from './dialog.tsx'
import { errorText, Notice } from './notice.tsx'
import { useRefusedFocus } from './refused-focus.ts'

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
    wordsFor = errorText,
    onSubmit,
    onClose,
    onDone,
    children,
  } = props
  const { isBusy, error, run } = useSending()
  const form = useRefusedFocus(error.value)

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
            {t().common.cancel}
          </Button>
          <Button kind={kind} type="submit" isBusy={isBusy.value} disabled={!isReady}>
            {submit}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
