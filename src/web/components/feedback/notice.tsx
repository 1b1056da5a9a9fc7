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

/** A message within a page. Errors are announced by screen readers. */
export function Notice({ kind = 'info', children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <div class="stack-small">{children}</div>
    </div>
  )
}

/** Errors for which the server's message adds nothing to our own text. */
const WITHOUT_DETAILS: readonly string[] = [
  'offline',
  'rate_limited',
  'unauthorized',
  'unknown_podcast',
  'unknown_episode',
]

/** The server's own message about an error, as a detail. It is in English only. */
export function ServerMessage({ error }: { error: unknown }) {
  if (
    !(error instanceof ApiError) ||
    WITHOUT_DETAILS.includes(error.code) ||
    findText(`errors.codes.${error.code}`) === undefined
  )
    return null
  return (
    <p class="small muted">
      <ServerQuote textKey="errors.serverSays" cause={error.message} />
    </p>
  )
}

/** An error message, with a button to try again. */
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
  /** Omitted if the title of the page says it. */
  readonly title?: string
  readonly text: string
  /** Details below the text. */
  readonly detail?: ComponentChildren
  /** Buttons and links for what to do next. */
  readonly children?: ComponentChildren
}

/** Stands where a list is empty, with what to do next. */
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

/** A placeholder for the cause, at which the text is split. */
const CAUSE = '\0'

/** A text whose `{cause}` is a message of a server, which is marked as English. */
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
