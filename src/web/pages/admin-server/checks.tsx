import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage, Failure, Notice, QueryState, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Fold } from '../../components/layout/fold.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, t } from '../../locales/index.ts'
import { account, isOutbound, server } from '../../store/session.ts'

/** What the server needs others for: whether each is set up and works. */
export function Services() {
  return (
    <Section title={t('admin.server.services')}>
      <div class="folds">
        <MailCheck />
        <SsoCheck />
        <DirectoryCheck />
      </div>
    </Section>
  )
}

/** Tests the external directory, and says why its results are empty. */
function DirectoryCheck() {
  const query = useQuery((signal) => call('getDirectoryState', { signal }))
  const { data: result, isBusy, error, run } = useMutation<Answer<'testDirectory'>>()
  const state = query.data.value
  const failure = state?.last_failure
  const isFailing = Boolean(failure && failure.at >= state.last_answer)

  async function check(): Promise<void> {
    await run(() => call('testDirectory'))
    await query.reload()
  }

  return (
    <Fold
      title={t('admin.server.directory.title')}
      state={state && <StateChip isOn={state.enabled} />}
      isOpen={query.error.value !== undefined || isFailing}
    >
      <p class="muted small">{t('admin.server.directory.lead')}</p>
      <QueryState query={query} skeleton={<Skeleton height="3rem" />} />
      {state && (
        <p>
          {state.enabled
            ? configurationText(state)
            : isOutbound()
              ? t('admin.server.directory.off')
              : t('errors.codes.outbound_off')}
        </p>
      )}
      {failure && isFailing && !result.value && (
        <Outcome isGood={false} cause={failure.cause}>
          {t('admin.server.directory.failed', { ago: ago(failure.at) })}{' '}
          {t(`admin.server.directory.troubles.${failure.trouble}`)}
        </Outcome>
      )}
      <div class="row">
        {state?.enabled && (
          <TestButton what={t('admin.server.directory.title')} isBusy={isBusy.value} onClick={check} />
        )}
        {state && !state.enabled && isOutbound() && (
          <ButtonLink href="https://api.podcastindex.org/" icon="external" isExternal>
            {t('admin.checklist.directory.get')}
          </ButtonLink>
        )}
      </div>
      <div class="outcome" role="status">
        {result.value && <Result result={result.value} />}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </Fold>
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
function MailCheck() {
  const query = useQuery((signal) => call('getMailState', { signal }))
  const state = query.data.value
  return (
    <Fold
      title={t('admin.server.mail.title')}
      state={state && <StateChip isOn={state.enabled} />}
      isOpen={query.error.value !== undefined || Boolean(state?.last_failure)}
    >
      <p class="muted small">{t('admin.server.mail.lead')}</p>
      <QueryState query={query} skeleton={<Skeleton height="3rem" />} />
      {state && (
        <>
          <p>{state.enabled ? lastSent(state) : t('admin.server.mail.off')}</p>
          {state.last_failure && (
            <Outcome isGood={false} cause={state.last_failure.cause}>
              {t('admin.server.mail.failed', { ago: ago(state.last_failure.at) })}
            </Outcome>
          )}
          {state.waiting > 0 && <p>{t('admin.server.mail.waiting', { n: state.waiting })}</p>}
          {state.enabled && <TestMail onSent={query.reload} />}
        </>
      )}
    </Fold>
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
        {error.value !== undefined && <MailError error={error.value} />}
      </div>
    </Form>
  )
}

function lastSent({ last_sent }: Answer<'getMailState'>): string {
  return last_sent === '' ? t('admin.server.mail.lastNone') : t('admin.server.mail.last', { ago: ago(last_sent) })
}

function MailError({ error }: { error: unknown }) {
  const isFailure = error instanceof ApiError && error.code === 'mail_failed'
  return (
    <Outcome isGood={false} cause={isFailure ? error.message : ''}>
      {isFailure ? t('admin.server.mail.mailFailed') : errorMessage(error, 'admin.server.mail')}
    </Outcome>
  )
}

/** Tests the single sign-on provider. */
function SsoCheck() {
  const { data: result, isBusy, error, run } = useMutation<Answer<'testSingleSignOn'>>()
  const sso = server.value?.sso
  const isOn = sso?.enabled === true
  return (
    <Fold title={t('admin.server.sso.title')} state={<StateChip isOn={isOn} />}>
      <p class="muted small">{t('admin.server.sso.lead')}</p>
      <p>{isOn ? t('admin.server.sso.provider', { provider: sso.provider_name ?? '' }) : t('admin.server.sso.off')}</p>
      {isOn && (
        <div class="row">
          <TestButton
            what={t('admin.server.sso.title')}
            isBusy={isBusy.value}
            onClick={() => run(() => call('testSingleSignOn'))}
          />
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
    </Fold>
  )
}

interface OutcomeProps {
  readonly isGood: boolean
  /** A message of the server, in English. */
  readonly cause?: string
  readonly children: ComponentChildren
}

export function Outcome({ isGood, cause = '', children }: OutcomeProps) {
  return (
    // No alert, since the region around it is announced already.
    <Notice kind={isGood ? 'info' : 'warn'}>
      <p>{children}</p>
      {cause !== '' && (
        <p class="small muted">
          <ServerQuote textKey="errors.details" cause={cause} />
        </p>
      )}
    </Notice>
  )
}

/** Whether a feature is set up, and what is known of it. */
export function StateLine({ isOn, text }: { isOn: boolean; text: string }) {
  return (
    <div class="check-state">
      <StateChip isOn={isOn} />
      <span class="muted">{text}</span>
    </div>
  )
}

function StateChip({ isOn }: { isOn: boolean }) {
  return <span class={isOn ? 'chip chip-good' : 'chip'}>{isOn ? t('admin.server.on') : t('admin.server.off')}</span>
}

interface TestButtonProps {
  /** What is tested, for screen readers. */
  readonly what: string
  readonly isBusy: boolean
  readonly onClick: () => Promise<unknown>
}

function TestButton({ what, isBusy, onClick }: TestButtonProps) {
  return (
    <Button isBusy={isBusy} about={what} onClick={onClick}>
      {t('admin.server.test')}
    </Button>
  )
}
