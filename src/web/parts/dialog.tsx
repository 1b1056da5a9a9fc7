import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

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
