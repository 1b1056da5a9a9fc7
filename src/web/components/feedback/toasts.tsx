import { t } from '../../locales/index.ts'
import { type Toast, toastStore, toasts } from '../../store/toasts.ts'
import { Button } from '../forms/button.tsx'
import { restoreFocus } from '../forms/focus.ts'

/** The messages in the corner. A message stays while it is pointed at or has the focus. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {toasts.value.map((toast) => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastItem({ toast: { id, text, action } }: { toast: Toast }) {
  const hold = () => toastStore.hold(id)
  function release({ currentTarget }: Event): void {
    if (currentTarget instanceof Element && !currentTarget.matches(':hover, :focus-within')) toastStore.release(id)
  }
  function end(): void {
    toastStore.remove(id)
    restoreFocus(document.querySelector('h1'))
  }
  return (
    <div class="toast" onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      <span>{text}</span>
      <div class="toast-actions">
        {action && (
          <Button
            kind="quiet"
            onClick={() => {
              action.run()
              end()
            }}
          >
            {action.label}
          </Button>
        )}
        <Button kind="quiet" icon="cross" label={t('common.close')} onClick={end} />
      </div>
    </div>
  )
}
