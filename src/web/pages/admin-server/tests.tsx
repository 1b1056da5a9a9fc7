import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage, Failure, Notice, QueryState, ServerQuote } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, t } from '../../locales/index.ts'
import { account } from '../../store/session.ts'

/** Queries the external directory and shows why its results are empty. */
export function DirectoryTest() {
  return (
    <ServiceTest about={t('admin.doctor.checks.directory')} ask={() => call('testDirectory')}>
      {({ state, trouble, cause }) =>
        state === 'off' ? (
          <Outcome isGood={false}>{t('admin.server.directory.off')}</Outcome>
        ) : (
          <Outcome isGood={trouble === ''} cause={cause}>
            {trouble === '' ? t('admin.server.directory.ok') : t(`admin.server.directory.troubles.${trouble}`)}
          </Outcome>
        )
      }
    </ServiceTest>
  )
}

/** A form to send a test email, with the results of recent mail. */
export function TestMail({ onSent }: { onSent: () => Promise<unknown> }) {
  const query = useQuery((signal) => call('getMailState', { signal }))
  const state = query.data.value
  const email = useSignal(account.value?.email ?? '')
  const { data: sentTo, isBusy, error, run } = useMutation<string>()

  async function send(): Promise<void> {
    const address = email.value.trim()
    const hasWorked = await run(async () => {
      await call('sendTestMail', { body: { email: address } })
      return address
    })
    if (hasWorked) await Promise.all([query.reload(), onSent()])
  }

  return (
    <details>
      <summary>{t('admin.server.mail.send')}</summary>
      <QueryState query={query} skeleton={<Skeleton height="1.5rem" />} />
      {state && <p>{lastSent(state)}</p>}
      {state && state.waiting > 0 && <p>{t('admin.server.mail.waiting', { n: state.waiting })}</p>}
      <Form error={error.value} onSubmit={send}>
        <TextField label={t('admin.server.mail.to')} type="email" required value={email} />
        <div class="row">
          <Button type="submit" isBusy={isBusy.value}>
            {t('admin.server.mail.send')}
          </Button>
        </div>
        <div class="outcome" role="status">
          {sentTo.value !== undefined && (
            <Outcome isGood>{t('admin.server.mail.sent', { email: sentTo.value })}</Outcome>
          )}
          {error.value !== undefined && <MailError error={error.value} />}
        </div>
      </Form>
    </details>
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

/** Tests the connection to the single sign-on provider. */
export function SignOnTest() {
  return (
    <ServiceTest about={t('admin.doctor.checks.sign_on')} ask={() => call('testSingleSignOn')}>
      {({ ok, cause }) => (
        <Outcome isGood={ok} cause={cause}>
          {ok ? t('admin.server.sso.ok') : t('admin.server.sso.bad')}
        </Outcome>
      )}
    </ServiceTest>
  )
}

interface ServiceTestProps<T> {
  /** Name of the service, for screen readers. */
  readonly about: string
  readonly ask: () => Promise<T>
  /** Renders the outcome. */
  readonly children: (result: T) => ComponentChildren
}

function ServiceTest<T>({ about, ask, children }: ServiceTestProps<T>) {
  const { data: result, isBusy, error, run } = useMutation<T>()
  return (
    <>
      <div class="row">
        <Button about={about} isBusy={isBusy.value} onClick={() => run(ask)}>
          {t('admin.doctor.test')}
        </Button>
      </div>
      <div class="outcome" role="status">
        {result.value && children(result.value)}
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  )
}

interface OutcomeProps {
  readonly isGood: boolean
  /** Message of the server, in English. */
  readonly cause?: string
  readonly children: ComponentChildren
}

export function Outcome({ isGood, cause = '', children }: OutcomeProps) {
  return (
    // Not an alert, because the surrounding region is announced.
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
