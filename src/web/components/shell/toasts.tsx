import { t } from '../../locales/index.ts'
import { type Toast, toastStore, toasts } from '../../store/toasts.ts'
import { ServerQuote } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { Icon } from '../icon.tsx'

/** Messages in the corner of the window. A message stays while it is hovered or focused. */
export function Toasts() {
  return (
    <div class="toasts">
      {/* Both regions always exist because screen readers announce changes only in regions that they know. */}
      <div role="alert">{itemsOf('error')}</div>
      <div role="status">{itemsOf('info')}</div>
    </div>
  )
}

function itemsOf(kind: Toast['kind']) {
  return toasts.value.filter((toast) => toast.kind === kind).map((toast) => <ToastItem key={toast.id} toast={toast} />)
}

function ToastItem({ toast: { id, kind, text, detail, action } }: { toast: Toast }) {
  const hold = () => toastStore.hold(id)
  function release({ currentTarget }: Event): void {
    if (currentTarget instanceof Element && !currentTarget.matches(':hover, :focus-within')) toastStore.release(id)
  }
  function end(): void {
    toastStore.remove(id)
    restoreFocus(document.querySelector('h1'))
  }
  return (
    <div
      class={`row toast toast-${kind}`}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      <Icon name={kind === 'error' ? 'warning' : 'check'} />
      <span>
        {text}
        {detail !== undefined && (
          <span class="toast-detail small">
            <ServerQuote textKey="errors.details" cause={detail} />
          </span>
        )}
      </span>
      <div class="row toast-actions">
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
