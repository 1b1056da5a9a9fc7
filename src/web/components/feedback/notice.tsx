import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import type { Query } from '../../hooks/use-query.ts'
import { findText, type PlainKey, t, waitingTime } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { Button } from '../forms/button.tsx'
import { Icon, Mark } from '../icon.tsx'

/** A message within a page: a text, or paragraphs. Errors are announced by screen readers. */
export function Notice({ kind = 'info', children }: { kind?: 'info' | 'warn' | 'error'; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <div class="stack-small">{typeof children === 'string' ? <p>{children}</p> : children}</div>
    </div>
  )
}

/** Stands where something is missing because the server connects to no others. */
export function OutboundOff() {
  return (
    <Notice>
      <p>{t('errors.codes.outbound_off')}</p>
    </Notice>
  )
}

interface ErrorNoticeProps {
  readonly text: string | undefined
  /** The error that the text is about: where there is no text of ours for it, the one that it brings is added. */
  readonly error?: unknown
}

/** What went wrong; nothing if `text` is empty. */
export function ErrorNotice({ text, error }: ErrorNoticeProps) {
  if (!text) return null
  return (
    <Notice kind="error">
      <p>{text}</p>
      {untranslated(error) !== undefined && <ServerMessage error={error} />}
    </Notice>
  )
}

/** Errors for which the server's message adds nothing to our own text. */
const WITHOUT_DETAILS: readonly string[] = [
  'offline',
  'unsent',
  'rate_limited',
  'unauthorized',
  'unknown_podcast',
  'unknown_episode',
]

/** The server's own message about an error, as a detail. It is in English only. */
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
 * The English message of an error for which the client has no text: of a code that only newer servers know, of a proxy
 * in between, or of the browser. Undefined for all others.
 */
function untranslated(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  return isKnown(error) ? undefined : error.message
}

function isKnown({ code }: ApiError): boolean {
  return code === 'offline' || code === 'unsent' || findText(`errors.codes.${code}`) !== undefined
}

/** An error message, with a button to try again. When the server can be reached again, queries do so by themselves. */
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

/** The queries of the page that have failed, those first that did so first. */
const failed = signal<readonly Pick<Query<unknown>, 'error' | 'reload'>[]>([])

/**
 * What stands before the data of a query: a skeleton, or the error with a button to try again. Where several parts of a
 * page fail alike, the error stands there once, and its button loads all of them.
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

/** Parts of the texts that have messages for error codes, as `admin.users` has `admin.users.errors.last_admin`. */
export type ErrorScope = PlainKey extends infer K
  ? K extends `${infer Scope}.errors.${string}`
    ? Scope
    : never
  : never

/**
 * What went wrong, for the user; '' without an error. A page with a scope has texts that know what the user was doing;
 * otherwise the general text for the error code is used, and for unknown codes one that fits everything.
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

/** The message about an error under the name of the field that is to blame; under `other` if it is none of `fields`. */
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

/** A button that is busy while its work is done, and shows a message if that fails. */
export function ActionButton({ work, ...rest }: ActionButtonProps) {
  const isBusy = useSignal(false)
  async function run(): Promise<void> {
    isBusy.value = true
    await attempt(work)
    isBusy.value = false
  }
  return <Button {...rest} isBusy={isBusy.value} onClick={run} />
}

/** Runs `work`, and shows a message if it fails. Resolves to whether it succeeded; never rejects. */
export async function attempt(work: () => Promise<unknown>, subject?: string): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    toastError(error, { ...(subject !== undefined && { subject }) })
    return false
  }
}

/** Shows what went wrong in a corner of the page. */
export function toastError(error: unknown, { scope, subject }: { scope?: ErrorScope; subject?: string } = {}): void {
  const detail = untranslated(error)
  toast(errorMessage(error, scope), {
    kind: 'error',
    ...(subject !== undefined && { subject }),
    ...(detail && { detail }),
  })
}
