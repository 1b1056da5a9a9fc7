import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/client.ts'
import { fill, t } from '../text/index.ts'
import { Button } from './button.tsx'
import { Icon, Mark } from './icon.tsx'

interface NoticeProps {
  readonly kind?: 'info' | 'warn' | 'error'
  readonly children: ComponentChildren
}

export function Notice({ kind = 'info', children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <div class="stack-small">{children}</div>
    </div>
  )
}

/** What happened, in words for people. */
export function errorText(error: unknown): string {
  const { errors } = t().common
  if (error instanceof ApiError) {
    if (error.word === 'offline') return errors.offline
    if (error.word === 'rate_limited') return fill(errors.rateLimited, { seconds: error.retryAfter ?? 60 })
    return fill(errors.unexpected, { message: error.message })
  }
  return fill(errors.unexpected, { message: error instanceof Error ? error.message : String(error) })
}

/** What happened, and trying again as the next step. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Notice kind="error">
      <p>{errorText(error)}</p>
      {onRetry && (
        <p>
          <Button icon="refresh" onClick={onRetry}>
            {t().common.retry}
          </Button>
        </p>
      )}
    </Notice>
  )
}

/** Nothing here yet, and what leads on. */
export function Empty({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Mark />
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div class="row">{children}</div>}
    </div>
  )
}
