import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage, Failure, Notice, QueryState, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, bytes, language, t } from '../../locales/index.ts'
import { account, server } from '../../store/session.ts'

/** The known causes of empty results from the external directory. */
const CAUSES = ['credentials', 'network', 'answer', 'no_matches'] as const

/** Tests the external directory, and shows which of the known causes makes its results empty. */
export function DirectoryCheck() {
  const query = useQuery((signal) => call('getDirectoryState', { signal }))
  const { data: result, isBusy, error, run } = useMutation<Answer<'testDirectory'>>()
  const state = query.data.value
  const trouble = result.value ? result.value.trouble : (state?.last_failure?.trouble ?? '')

  async function check(): Promise<void> {
    await run(() => call('testDirectory'))
    await query.reload()
  }

  return (
    <Section title={t('admin.server.directory.title')} lead={t('admin.server.directory.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="6rem" />} />
      {state && (
        <StateLine
          isOn={state.enabled}
          text={state.enabled ? configurationText(state) : t('admin.server.directory.off')}
        />
      )}
      {state?.enabled && (
        <>
          <div class="stack-small">
            <h3>{t('admin.server.directory.causes')}</h3>
            <ul class="row causes">
              {CAUSES.map((cause) => (
                <li key={cause} class={cause === trouble ? 'chip chip-bad' : 'chip'}>
                  {cause === trouble
                    ? t('common.pair', {
                        what: t(`admin.server.directory.cause.${cause}`),
                        value: t('admin.server.directory.thisOne'),
                      })
                    : t(`admin.server.directory.cause.${cause}`)}
                </li>
              ))}
            </ul>
          </div>
          <TestButton what={t('admin.server.directory.title')} isBusy={isBusy.value} onClick={check} />
        </>
      )}
      <div class="outcome" role="status">
        {result.value && <Result result={result.value} />}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </Section>
  )
}

function Result({ result: { state, trouble, cause } }: { result: Answer<'testDirectory'> }) {
  if (state === 'off') return <Outcome isGood={false}>{t('admin.server.directory.off')}</Outcome>
  return (
    <Outcome isGood={trouble === ''} cause={cause}>
      {trouble === '' ? t('admin.server.directory.ok') : t(`admin.server.directory.troubles.${trouble}`)}
    </Outcome>
  )
}

function configurationText({ last_answer }: Answer<'getDirectoryState'>): string {
  return last_answer === ''
    ? t('admin.server.directory.set')
    : t('admin.server.directory.answered', { ago: ago(last_answer) })
}

/** The state of email, and a form to send a test email. */
export function MailCheck() {
  const query = useQuery((signal) => call('getMailState', { signal }))
  const state = query.data.value
  return (
    <Section title={t('admin.server.mail.title')} lead={t('admin.server.mail.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="4rem" />} />
      {state && (
        <>
          <StateLine isOn={state.enabled} text={state.enabled ? lastSent(state) : t('admin.server.mail.off')} />
          {state.last_failure && (
            <Outcome isGood={false} cause={state.last_failure.cause}>
              {t('admin.server.mail.failed', { ago: ago(state.last_failure.at) })}
            </Outcome>
          )}
          {state.waiting > 0 && <p>{t('admin.server.mail.waiting', { n: state.waiting })}</p>}
          {state.enabled && <TestMail onSent={query.reload} />}
        </>
      )}
    </Section>
  )
}

function TestMail({ onSent }: { onSent: () => Promise<void> }) {
  const email = useSignal(account.value?.email ?? '')
  const { data: sentTo, isBusy, error, run } = useMutation<string>()

  async function send(): Promise<void> {
    const address = email.value.trim()
    const hasWorked = await run(async () => {
      await call('sendTestMail', { body: { email: address } })
      return address
    })
    if (hasWorked) await onSent()
  }

  return (
    <Form error={error.value} onSubmit={send}>
      <TextField label={t('admin.server.mail.to')} type="email" required value={email} />
      <div class="row">
        <Button type="submit" isBusy={isBusy.value}>
          {t('admin.server.mail.send')}
        </Button>
      </div>
      <div class="outcome" role="status">
        {sentTo.value !== undefined && <Outcome isGood>{t('admin.server.mail.sent', { email: sentTo.value })}</Outcome>}
        {error.value !== undefined && <Outcome isGood={false}>{mailError(error.value)}</Outcome>}
      </div>
    </Form>
  )
}

function lastSent({ last_sent }: Answer<'getMailState'>): string {
  return last_sent === '' ? t('admin.server.mail.lastNone') : t('admin.server.mail.last', { ago: ago(last_sent) })
}

function mailError(error: unknown): string {
  if (error instanceof ApiError && error.code === 'mail_failed')
    return t('admin.server.mail.mailFailed', { cause: error.message })
  return errorMessage(error, 'admin.server.mail')
}

/** Tests the single sign-on provider. */
export function SsoCheck() {
  const { data: result, isBusy, error, run } = useMutation<Answer<'testSingleSignOn'>>()
  const sso = server.value?.sso
  const isOn = sso?.enabled === true
  return (
    <Section title={t('admin.server.sso.title')} lead={t('admin.server.sso.lead')}>
      <StateLine
        isOn={isOn}
        text={isOn ? t('admin.server.sso.provider', { provider: sso.provider_name ?? '' }) : t('admin.server.sso.off')}
      />
      {isOn && (
        <TestButton
          what={t('admin.server.sso.title')}
          isBusy={isBusy.value}
          onClick={() => run(() => call('testSingleSignOn'))}
        />
      )}
      <div class="outcome" role="status">
        {result.value && (
          <Outcome isGood={result.value.ok} cause={result.value.cause}>
            {result.value.ok ? t('admin.server.sso.ok') : t('admin.server.sso.bad')}
          </Outcome>
        )}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </Section>
  )
}

interface OutcomeProps {
  readonly isGood: boolean
  /** A message of the server, in English. */
  readonly cause?: string
  readonly children: ComponentChildren
}

function Outcome({ isGood, cause = '', children }: OutcomeProps) {
  return (
    // No alert, since the region around it is announced already.
    <Notice kind={isGood ? 'info' : 'warn'}>
      <p>{children}</p>
      {cause !== '' && (
        <p class="small muted">
          <ServerQuote textKey="admin.server.serverSays" cause={cause} />
        </p>
      )}
    </Notice>
  )
}

/** Whether a feature is set up, and what is known of it. */
function StateLine({ isOn, text }: { isOn: boolean; text: string }) {
  return (
    <div class="check-state">
      <span class={isOn ? 'chip chip-good' : 'chip'}>{isOn ? t('admin.server.on') : t('admin.server.off')}</span>
      <span class="muted">{text}</span>
    </div>
  )
}

interface TestButtonProps {
  /** What is tested, for screen readers. */
  readonly what: string
  readonly isBusy: boolean
  readonly onClick: () => Promise<unknown>
}

function TestButton({ what, isBusy, onClick }: TestButtonProps) {
  return (
    <div class="row">
      <Button isBusy={isBusy} about={what} onClick={onClick}>
        {t('admin.server.test')}
      </Button>
    </div>
  )
}

/** Existing backups, the result of the last one, and a button to make one. */
export function Backups() {
  const query = useQuery((signal) => call('listBackups', { signal }))
  const { data: made, isBusy, error, run } = useMutation<Answer<'makeBackup'>>()
  const state = query.data.value

  async function make(): Promise<void> {
    await run(() => call('makeBackup'))
    await query.reload()
  }

  return (
    <Section title={t('admin.server.backups.title')} lead={t('admin.server.backups.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="4rem" />} />
      {state && (
        <StateLine isOn={state.enabled} text={state.enabled ? newestOf(state) : t('admin.server.backups.off')} />
      )}
      {state?.last && !state.last.ok && error.value === undefined && (
        <Outcome isGood={false} cause={state.last.cause}>
          {t('admin.server.backups.failedAgo', { ago: ago(state.last.at) })}
        </Outcome>
      )}
      {state?.enabled && (
        <div class="row">
          <Button isBusy={isBusy.value} onClick={make}>
            {t('admin.server.backups.now')}
          </Button>
        </div>
      )}
      <div class="outcome" role="status">
        {made.value && (
          <Outcome isGood>
            {made.value.backup
              ? t('admin.server.backups.made', { file: made.value.backup.file })
              : t('admin.server.backups.running')}
          </Outcome>
        )}
        {error.value !== undefined && <BackupError error={error.value} />}
      </div>
    </Section>
  )
}

function BackupError({ error }: { error: unknown }) {
  const isFailure = error instanceof ApiError && error.code === 'backup_failed'
  return (
    <Outcome isGood={false} cause={isFailure ? error.message : ''}>
      {errorMessage(error)}
    </Outcome>
  )
}

function newestOf({ backups }: Answer<'listBackups'>): string {
  const [last] = backups
  if (!last) return t('admin.server.backups.none')
  const size = bytes(last.bytes, language.value)
  return `${t('admin.server.backups.newest', { ago: ago(last.at), size })} ${t('admin.server.backups.kept', { n: backups.length })}`
}
