import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/client.ts'
import { fill, t } from '../../text/index.ts'
import { Button } from '../forms/button.tsx'
import { Icon, Mark } from '../icon.tsx'

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
    if (error.word === 'rate_limited' && error.retryAfter !== undefined)
      return fill(errors.rateLimited, { seconds: error.retryAfter })
    return t().refusals.words[error.word] ?? fill(errors.unexpected, { message: error.message })
  }
  return fill(errors.unexpected, { message: error instanceof Error ? error.message : String(error) })
}

/** Says no more than the own words for it. */
const PLAIN: readonly string[] = ['offline', 'rate_limited', 'unauthorized', 'unknown_podcast', 'unknown_episode']

/** The server's own sentence about a refusal, for those who want to know: it speaks English only. */
export function ServerSays({ error }: { error: unknown }) {
  const { says, words } = t().refusals
  if (!(error instanceof ApiError) || PLAIN.includes(error.word) || words[error.word] === undefined) return null
  return (
    <p class="small muted">
      <ServerWords text={says} cause={error.message} />
    </p>
  )
}

/** What happened, and trying again as the next step. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Notice kind="error">
      <p>{errorText(error)}</p>
      <ServerSays error={error} />
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

interface EmptyProps {
  /** Left out where the page's own title says it. */
  readonly title?: string
  readonly text: string
  /** Below the text: more about it. */
  readonly detail?: ComponentChildren
  /** What leads on. */
  readonly children?: ComponentChildren
}

/** Nothing here yet, and what leads on. */
export function Empty({ title, text, detail, children }: EmptyProps) {
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

/** A sentence of ours around words of the server, which are English, in the place of `{cause}`. */
export function ServerWords({ text, cause }: { readonly text: string; readonly cause: string }) {
  const [before, after] = text.split('{cause}')
  return (
    <>
      {before}
      <bdi lang="en">{cause}</bdi>
      {after}
    </>
  )
}
