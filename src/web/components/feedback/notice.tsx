import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import type { Query } from '../../hooks/use-query.ts'
import { findText, type PlainKey, t, waitingTime } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { Button } from '../forms/button.tsx'
import { Icon, Mark } from '../icon.tsx'

/** Message within a page: a text or paragraphs. Screen readers announce errors. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'warn' | 'error'; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <div class="stack-small">{typeof children === 'string' ? <p>{children}</p> : children}</div>
    </div>
  )
}

/** Notice in place of content that is missing because the server makes no outbound connections. */
export function OutboundOff() {
  return (
    <Notice>
      <p>{t('errors.codes.outbound_off')}</p>
    </Notice>
  )
}

interface ErrorNoticeProps {
  readonly text: string | undefined
  /** Error behind the text. Its own message is added if the client has no text for it. */
  readonly error?: unknown
}

/** Error message; renders nothing if `text` is empty. */
export function ErrorNotice({ text, error }: ErrorNoticeProps) {
  if (!text) return null
  return (
    <Notice kind="error">
      <p>{text}</p>
      {untranslated(error) !== undefined && <ServerMessage error={error} />}
    </Notice>
  )
}

/** Error codes for which the server's message adds nothing to the client's text. */
const WITHOUT_DETAILS: readonly string[] = [
  'offline',
  'unsent',
  'rate_limited',
  'unauthorized',
  'unknown_podcast',
  'unknown_episode',
]

/** The server's message about an error, as a detail. It is always in English. */
export function ServerMessage({ error }: { error: unknown }) {
  const cause = error instanceof ApiError && !WITHOUT_DETAILS.includes(error.code) ? error.message : untranslated(error)
  if (!cause) return null
  return (
    <p class="small muted">
      <ServerQuote textKey="errors.details" cause={cause} />
    </p>
  )
}

/**
 * Returns the English message of an error for which the client has no text: an error code of a newer server, or an
 * error of a proxy or the browser. Returns `undefined` for all others.
 */
function untranslated(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  return isKnown(error) ? undefined : error.message
}

function isKnown({ code }: ApiError): boolean {
  return code === 'offline' || code === 'unsent' || findText(`errors.codes.${code}`) !== undefined
}

/** Error message with a retry button. Queries retry automatically once the server is reachable again. */
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

interface QueryStateProps {
  readonly query: Query<unknown>
  /** Shown until there is data. */
  readonly skeleton: VNode
}

/** Failed queries of the page, in order of failure. */
const failed = signal<readonly Pick<Query<unknown>, 'error' | 'reload'>[]>([])

/**
 * Skeleton of a loading query, or its error with a retry button. If several parts of a page fail with the same message,
 * only the first shows it, and its button reloads all of them.
 */
export function QueryState({ query: { data, error, reload }, skeleton }: QueryStateProps) {
  const { value: reason } = error
  useLayoutEffect(() => {
    if (!reason) return undefined
    const own = { error, reload }
    failed.value = [...failed.value, own]
    return () => {
      failed.value = failed.value.filter((each) => each !== own)
    }
  }, [reason])
  if (!reason) return data.value === undefined ? skeleton : null
  const alike = failed.value.filter((each) => errorMessage(each.error.value) === errorMessage(reason))
  const [first] = alike
  if (first && first.error !== error) return <p class="muted">{t('errors.part')}</p>
  const retry = () => {
    void reload()
    for (const each of alike) if (each.error !== error) void each.reload()
  }
  return <Failure error={reason} onRetry={retry} />
}

interface EmptyStateProps {
  /** Omitted if the title of the page says it. */
  readonly title?: string
  readonly text: string
  readonly detail?: ComponentChildren
  /** Buttons and links for the next step. */
  readonly children?: ComponentChildren
}

/** Placeholder for an empty list, with a suggestion for the next step. */
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

/** Placeholder for the cause; the text is split at it. */
const CAUSE = '\0'

/** Text whose `{cause}` is a server message, marked up as English. */
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

/** Prefix of texts with its own error messages: `admin.users` has `admin.users.errors.last_admin`. */
export type ErrorScope = PlainKey extends infer K
  ? K extends `${infer Scope}.errors.${string}`
    ? Scope
    : never
  : never

/**
 * Returns the error message for the user, or '' without an error. Texts of `scope` come first because they fit the
 * user's task, then the general text for the error code, then a generic text for unknown codes.
 */
export function errorMessage(error: unknown, scope?: ErrorScope): string {
  if (error === undefined) return ''
  if (!(error instanceof ApiError)) return t('common.errors.unexpected')
  const { code, field, retryAfter } = error
  if (scope !== undefined) {
    const ofField = code === 'validation_failed' ? findText(`${scope}.fields.${field}`) : undefined
    const ofScope = ofField ?? findText(`${scope}.errors.${code}`)
    if (ofScope !== undefined) return ofScope
  }
  if (code === 'offline' || code === 'unsent') return t(`common.errors.${code}`)
  if (code === 'rate_limited' && retryAfter !== undefined) {
    const wait = waitingTime(retryAfter)
    return field === 'code' ? t('common.errors.wrongCodes', { wait }) : t('common.errors.rateLimited', { wait })
  }
  return findText(`errors.codes.${code}`) ?? t('common.errors.unexpected')
}

/** Returns the error message under the name of the invalid field, or under `other` if `fields` does not list it. */
export function fieldErrors<F extends string>(error: unknown, fields: readonly F[], scope: ErrorScope) {
  const field = fields.find((each) => error instanceof ApiError && error.field === each)
  const messages: Partial<Record<F | 'other', string>> = {}
  messages[field ?? 'other'] = errorMessage(error, scope)
  return messages
}

interface ActionButtonProps {
  readonly kind?: 'quiet'
  readonly about?: string
  readonly work: () => Promise<unknown>
  readonly children: ComponentChildren
}

/** Button that is busy while `work` runs, and shows a message if it fails. */
export function ActionButton({ work, ...rest }: ActionButtonProps) {
  const isBusy = useSignal(false)
  async function run(): Promise<void> {
    isBusy.value = true
    await attempt(work)
    isBusy.value = false
  }
  return <Button {...rest} isBusy={isBusy.value} onClick={run} />
}

/** Runs `work` and shows a message if it fails. Resolves to whether it succeeded; never rejects. */
export async function attempt(work: () => Promise<unknown>, subject?: string): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    toastError(error, { ...(subject !== undefined && { subject }) })
    return false
  }
}

/** Shows an error as a toast. */
export function toastError(error: unknown, { scope, subject }: { scope?: ErrorScope; subject?: string } = {}): void {
  const detail = untranslated(error)
  toast(errorMessage(error, scope), {
    kind: 'error',
    ...(subject !== undefined && { subject }),
    ...(detail && { detail }),
  })
}
