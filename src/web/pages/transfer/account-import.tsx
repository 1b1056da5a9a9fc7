import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { ActionButton, ErrorNotice, errorMessage, Notice, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Form } from '../../components/forms/form.tsx'
import { useMutation } from '../../hooks/use-query.ts'
import { ago, findText, number, t } from '../../locales/index.ts'
import {
  type AccountImport,
  importFile,
  importFromServer,
  isRunning,
  removeImport,
} from '../../store/importing/account-imports.ts'
import { href } from '../../store/paths.ts'
import { errorKey, reasonKey, shareOf, suggestedAddress } from './report.ts'

interface ServerFormProps {
  readonly from: Signal<string>
  readonly username: Signal<string>
}

/** Asks for the credentials of an account on another server. */
export function ServerForm({ from, username }: ServerFormProps) {
  const password = useSignal('')
  const { isBusy, error, run } = useMutation()

  return (
    <Form
      class="stack import-login"
      error={error.value}
      onSubmit={() =>
        run(() =>
          importFromServer({ from: from.value.trim(), username: username.value.trim(), password: password.value }),
        )
      }
    >
      <ErrorNotice text={errorMessage(error.value, 'transfer')} />
      <TextField label={t('transfer.address')} value={from} placeholder="https://" required />
      <TextField label={t('transfer.username')} value={username} autoComplete="off" required />
      <TextField
        label={t('transfer.password')}
        type="password"
        value={password}
        autoComplete="off"
        hint={t('transfer.passwordHint')}
        required
      />
      <p>
        <Button kind="main" type="submit" icon="transfer" isBusy={isBusy.value}>
          {t('transfer.start')}
        </Button>
      </p>
    </Form>
  )
}

interface FileImportProps {
  readonly file: File
  readonly kind: 'database' | 'archive' | 'overcast'
  readonly onForget: () => void
}

/** Asks for confirmation before the file of an app is sent to the server. */
export function FileImport({ file, kind, onForget }: FileImportProps) {
  const { isBusy, error, run } = useMutation()
  const heading = useRestoredFocus<HTMLParagraphElement>(file)
  return (
    <div class="card stack">
      <p class="import-file" tabIndex={-1} ref={heading}>
        {file.name}
      </p>
      <p>{t(`transfer.contents.${kind}`)}</p>
      <p class="muted">{t('transfer.stays')}</p>
      <ErrorNotice text={fileError(error.value)} error={error.value} />
      <div class="row">
        <Button
          kind="main"
          icon="transfer"
          isBusy={isBusy.value}
          onClick={() => run(() => importFile(file)).then((isDone) => isDone && onForget())}
        >
          {t('transfer.start')}
        </Button>
        <Button onClick={onForget}>{t('transfer.chooseOther')}</Button>
      </div>
    </div>
  )
}

/** Error codes for damaged files. */
const UNREADABLE: readonly string[] = ['validation_failed', 'invalid_json']

export function fileError(error: unknown): string {
  const isUnreadable = error instanceof ApiError && UNREADABLE.includes(error.code)
  return isUnreadable ? t('transfer.unreadable') : errorMessage(error, 'transfer')
}

interface ReportProps {
  readonly report: AccountImport
  /** Whether the import started or ended while the page was open. If so, the report gets the focus. */
  readonly isNews: boolean
}

/** Progress or result of an import. */
export function ImportReport({ report, isNews }: ReportProps) {
  const container = useRef<HTMLDivElement>(null)
  const isActive = isRunning(report)
  useEffect(() => {
    if (isNews) container.current?.focus()
  }, [isNews, report.state])

  return (
    <div class="card stack" tabIndex={-1} ref={container}>
      <div>
        <h3>
          {isActive ? t('transfer.importing', { name: report.name }) : t('transfer.imported', { name: report.name })}
        </h3>
        {!isActive && <p class="muted small">{ago(report.ended)}</p>}
      </div>
      {isActive && (
        <>
          <progress class="progress" aria-label={t('transfer.import')} value={shareOf(report)} />
          <p class="muted small">{t('transfer.leaveServer')}</p>
        </>
      )}
      <Outcome report={report} />
      {report.counts.length > 0 && <Counts counts={report.counts} />}
      {report.skipped.length > 0 && <Skipped skipped={report.skipped} />}
      <div class="row">
        {isActive ? (
          <ActionButton work={() => removeImport(report)}>{t('common.cancel')}</ActionButton>
        ) : (
          <>
            {report.state === 'done' && (
              <ButtonLink kind="main" href={href('/')}>
                {t('transfer.toPodcasts')}
              </ButtonLink>
            )}
            <ActionButton work={() => removeImport(report)}>{t('transfer.forget')}</ActionButton>
          </>
        )}
      </div>
    </div>
  )
}

/** The reason why an import did not complete. */
function Outcome({ report: { state, error } }: { readonly report: AccountImport }) {
  if (state === 'running' || state === 'done') return null
  if (state === 'cancelled') return <Notice>{t('transfer.cancelled')}</Notice>
  const key = errorKey(error)
  const address = suggestedAddress(error)
  return (
    <Notice kind={state === 'failed' ? 'error' : 'warn'}>
      <p>{findText(`transfer.causes.${key}`)}</p>
      {address !== undefined && <p dir="ltr">{address}</p>}
      {state === 'interrupted' && <p>{t('transfer.interrupted')}</p>}
      {key === 'other' && error !== '' && (
        <p class="small muted">
          <ServerQuote textKey="errors.details" cause={error} />
        </p>
      )}
    </Notice>
  )
}

function Counts({ counts }: Pick<AccountImport, 'counts'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: On a phone it scrolls sideways, which needs the focus.
    <section class="table-frame" tabIndex={0} aria-label={t('transfer.whatCame')}>
      <table class="table import-counts">
        <caption class="hidden-text">{t('transfer.whatCame')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('transfer.what')}</th>
            <th scope="col">{t('transfer.states.new')}</th>
            <th scope="col">{t('transfer.states.known')}</th>
            <th scope="col">{t('transfer.skipped')}</th>
          </tr>
        </thead>
        <tbody>
          {counts.map(({ what, imported, present, skipped }) => (
            <tr key={what}>
              <th scope="row">{kindName(what)}</th>
              <td>{number(imported)}</td>
              <td>{number(present)}</td>
              <td>{number(skipped)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Items that were not imported, with the reasons. */
function Skipped({ skipped }: Pick<AccountImport, 'skipped'>) {
  return (
    <details class="import-skipped">
      <summary>{t('transfer.whySkipped')}</summary>
      <ul class="stack-small">
        {skipped.map(({ what, reason, count, examples }) => (
          <li key={`${what} ${reason}`}>
            <p>
              <strong>
                {kindName(what)}: {number(count)}
              </strong>{' '}
              {reasonKey(reason) === 'other' ? (
                <ServerQuote textKey="errors.details" cause={reason} />
              ) : (
                findText(`transfer.reasons.${reasonKey(reason)}`)
              )}
            </p>
            {examples.length > 0 && (
              <ul class="small muted">
                {examples.map((example) => (
                  <li dir="auto" key={example}>
                    {example}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function kindName(what: string): string {
  return findText(`transfer.kinds.${what}`) ?? what
}
