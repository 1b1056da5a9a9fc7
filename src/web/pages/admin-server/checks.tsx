import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Failure, Notice, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useMutation } from '../../hooks/use-mutation.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import { account, server } from '../../store/session.ts'

/** The known causes of empty results from the external directory. */
const CAUSES = ['credentials', 'network', 'answer', 'no_matches'] as const

/** Tests the external directory, and shows which of the known causes makes its results empty. */
export function DirectoryCheck() {
  const { data, error, reload } = useQuery((signal) => call('getDirectoryState', { signal }))
  const result = useSignal<Answer<'testDirectory'> | undefined>(undefined)
  const mutation = useMutation()
  const state = data.value
  const trouble = result.value ? result.value.trouble : (state?.last_failure?.trouble ?? '')

  async function check(): Promise<void> {
    result.value = undefined
    await mutation.run(async () => {
      result.value = await call('testDirectory')
    })
    await reload()
  }

  return (
    <Section title={t('admin.server.directory.title')} lead={t('admin.server.directory.lead')}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="6rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? configurationText(state) : t('admin.server.directory.off')}</span>
          </div>
          {state.enabled && (
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
              <div class="row">
                <Button isBusy={mutation.isBusy.value} onClick={check}>
                  {t('admin.server.test')}
                  <span class="hidden-text">: {t('admin.server.directory.title')}</span>
                </Button>
              </div>
            </>
          )}
        </>
      )}
      <div class="outcome" role="status">
        {result.value && <Result result={result.value} />}
      </div>
      {mutation.error.value !== undefined && <Failure error={mutation.error.value} />}
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
  const { data, error, reload } = useQuery((signal) => call('getMailState', { signal }))
  const state = data.value
  return (
    <Section title={t('admin.server.mail.title')} lead={t('admin.server.mail.lead')}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!state && !error.value && <Skeleton height="4rem" />}
      {state && (
        <>
          <div class="check-state">
            <OnOff isOn={state.enabled} />
            <span class="muted">{state.enabled ? lastSent(state) : t('admin.server.mail.off')}</span>
          </div>
          {state.last_failure && (
            <Outcome isGood={false} cause={state.last_failure.cause}>
              {t('admin.server.mail.failed', { ago: ago(state.last_failure.at) })}
            </Outcome>
          )}
          {state.waiting > 0 && <p>{t('admin.server.mail.waiting', { n: state.waiting })}</p>}
          {state.enabled && <TestMail onSent={reload} />}
        </>
      )}
    </Section>
  )
}

function TestMail({ onSent }: { onSent: () => Promise<void> }) {
  const email = useSignal(account.value?.email ?? '')
  const sentTo = useSignal<string | undefined>(undefined)
  const { isBusy, error, run } = useMutation()

  async function send(event: Event): Promise<void> {
    event.preventDefault()
    const address = email.value.trim()
    sentTo.value = undefined
    if (!(await run(() => call('sendTestMail', { body: { email: address } })))) return
    sentTo.value = address
    await onSent()
  }

  return (
    <form class="stack" onSubmit={(event) => void send(event)}>
      <TextField
        label={t('admin.server.mail.to')}
        type="email"
        required
        value={email.value}
        onInput={(value) => {
          email.value = value
        }}
      />
      <div class="row">
        <Button type="submit" isBusy={isBusy.value}>
          {t('admin.server.mail.send')}
        </Button>
      </div>
      <div class="outcome" role="status">
        {sentTo.value !== undefined && <Outcome isGood>{t('admin.server.mail.sent', { email: sentTo.value })}</Outcome>}
        {error.value !== undefined && <Outcome isGood={false}>{mailError(error.value)}</Outcome>}
      </div>
    </form>
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
  const result = useSignal<Answer<'testSingleSignOn'> | undefined>(undefined)
  const { isBusy, error, run } = useMutation()
  const sso = server.value?.sso
  const isOn = sso?.enabled === true

  async function check(): Promise<void> {
    result.value = undefined
    await run(async () => {
      result.value = await call('testSingleSignOn')
    })
  }

  return (
    <Section title={t('admin.server.sso.title')} lead={t('admin.server.sso.lead')}>
      <div class="check-state">
        <OnOff isOn={isOn} />
        <span class="muted">
          {isOn ? t('admin.server.sso.provider', { provider: sso.provider_name ?? '' }) : t('admin.server.sso.off')}
        </span>
      </div>
      {isOn && (
        <div class="row">
          <Button isBusy={isBusy.value} onClick={check}>
            {t('admin.server.test')}
            <span class="hidden-text">: {t('admin.server.sso.title')}</span>
          </Button>
        </div>
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

/** The result of a test. */
export function Outcome({ isGood, cause = '', children }: OutcomeProps) {
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

/** A chip that says whether a feature is set up. */
export function OnOff({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'chip chip-good' : 'chip'}>{isOn ? t('admin.server.on') : t('admin.server.off')}</span>
}
