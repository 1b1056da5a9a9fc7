import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/client.ts'
import { findText, type PlainKey, t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { Icon, Mark } from '../icon.tsx'
import { errorMessage } from './error-message.ts'

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

/** Says no more than the own words for it. */
const PLAIN: readonly string[] = ['offline', 'rate_limited', 'unauthorized', 'unknown_podcast', 'unknown_episode']

/** The server's own sentence about a refusal, for those who want to know: it speaks English only. */
export function ServerMessage({ error }: { error: unknown }) {
  if (
    !(error instanceof ApiError) ||
    PLAIN.includes(error.code) ||
    findText(`errors.codes.${error.code}`) === undefined
  )
    return null
  return (
    <p class="small muted">
      <ServerQuote textKey="errors.serverSays" cause={error.message} />
    </p>
  )
}

/** What happened, and trying again as the next step. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Notice kind="error">
      <p>{errorMessage(error)}</p>
      <ServerMessage error={error} />
      {onRetry && (
        <p>
          <Button icon="refresh" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </p>
      )}
    </Notice>
  )
}

interface EmptyStateProps {
  /** Left out where the page's own title says it. */
  readonly title?: string
  readonly text: string
  /** Below the text: more about it. */
  readonly detail?: ComponentChildren
  /** What leads on. */
  readonly children?: ComponentChildren
}

/** Nothing here yet, and what leads on. */
export function EmptyState({ title, text, detail, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <Mark />
      {title !== undefined && <h2>{title}</h2>}
      <p>{text}</p>
      {detail}
      {children && <div class="row">{children}</div>}
    </div>
  )
}

/** Stands for the cause while the text around it is looked up. */
const CAUSE = '\0'

/** A text with what the server said, which is in English, in the place of its `{cause}`. */
export function ServerQuote({ textKey, cause }: { readonly textKey: PlainKey; readonly cause: string }) {
  const [before, after] = t(textKey, { cause: CAUSE }).split(CAUSE)
  return (
    <>
      {before}
      <bdi lang="en">{cause}</bdi>
      {after}
    </>
  )
}
