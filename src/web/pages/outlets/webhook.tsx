import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import {
  ErrorNotice,
  errorMessage,
  fieldErrors,
  Notice,
  OutboundOff,
  QueryState,
  ServerQuote,
} from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Checkbox, SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { CopyField, TextField } from '../../components/forms/field.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, t } from '../../locales/index.ts'
import { isOutbound } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { EVENTS, FORMATS, type Format, progressOf, type WebhookEvent, withEvent } from './outlets.ts'

/** Example addresses, shown as placeholders. */
const EXAMPLES: Readonly<Record<Format, string>> = {
  ntfy: 'https://ntfy.sh/…',
  gotify: 'https://gotify.example/message?token=…',
  json: 'https://home.example/…',
}

type StoredWebhook = NonNullable<Answer<'getWebhook'>>

/** The user's webhook: address, events and status. */
export function Webhook() {
  const query = useQuery((signal) => call('getWebhook', { signal }))
  const stored = query.data.value
  return (
    <Section title={t('outlets.webhook.title')} lead={t('outlets.webhook.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="12rem" />} />
      {stored && <Status webhook={stored} reload={query.reload} />}
      {!isOutbound() && <OutboundOff />}
      {isOutbound() && stored !== undefined && <WebhookForm stored={stored} reload={query.reload} />}
    </Section>
  )
}

interface StatusProps {
  readonly webhook: StoredWebhook
  readonly reload: () => Promise<void>
}

/** Status of the webhook, with buttons to test and remove it. */
function Status({ webhook, reload }: StatusProps) {
  const test = useMutation()
  const isRemoving = useSignal(false)

  async function send(): Promise<void> {
    await test.run(() => call('testWebhook'))
    await reload()
  }

  return (
    <div class="stack">
      <div role="status">
        <Progress webhook={webhook} />
        {test.isDone.value && <p>{t('outlets.webhook.tested')}</p>}
      </div>
      <TestError error={test.error.value} />
      <div class="row">
        {isOutbound() && (
          <Button isBusy={test.isBusy.value} onClick={send}>
            {t('outlets.webhook.test')}
          </Button>
        )}
        <Button kind="quiet" onClick={setTo(isRemoving, true)}>
          {t('outlets.webhook.remove')}
        </Button>
      </div>
      {isRemoving.value && (
        <FormDialog
          title={t('outlets.webhook.removeTitle')}
          submit={t('outlets.webhook.remove')}
          kind="danger"
          onSubmit={() => call('removeWebhook')}
          onClose={setTo(isRemoving, false)}
          onDone={() => {
            toast(t('outlets.webhook.removed'))
            void reload()
          }}
        >
          <p>{t('outlets.webhook.removeText')}</p>
        </FormDialog>
      )}
    </div>
  )
}

function TestError({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'webhook_failed')
    return <ErrorNotice text={errorMessage(error)} error={error} />
  return (
    <Notice kind="error">
      <p>{errorMessage(error)}</p>
      <p class="small">
        <ServerQuote textKey="outlets.webhook.cause" cause={error.message} />
      </p>
    </Notice>
  )
}

function Progress({ webhook }: { webhook: StoredWebhook }) {
  const progress = progressOf(webhook)
  if (progress === 'unused') return <p class="muted">{t('outlets.webhook.unused')}</p>
  if (progress === 'works') return <p>{t('outlets.webhook.works', { ago: ago(webhook.last_success) })}</p>
  return (
    <Notice kind="warn">
      <p>
        {progress === 'off'
          ? t(`outlets.webhook.off.${offReasonOf(webhook)}`)
          : t('outlets.webhook.failing', { ago: ago(webhook.last_failure) })}
      </p>
      {webhook.last_error !== '' && (
        <p class="small">
          <ServerQuote textKey="outlets.webhook.cause" cause={webhook.last_error} />
        </p>
      )}
      {webhook.waiting > 0 && <p class="small">{t('outlets.webhook.waiting', { n: webhook.waiting })}</p>}
    </Notice>
  )
}

function offReasonOf({ off_reason: reason }: StoredWebhook): 'unauthorized' | 'gone' | 'password_reset' {
  return reason === 'gone' || reason === 'password_reset' ? reason : 'unauthorized'
}

interface WebhookFormProps {
  /** Null if the user has no webhook. */
  readonly stored: StoredWebhook | null
  readonly reload: () => Promise<void>
}

function WebhookForm({ stored, reload }: WebhookFormProps) {
  const format = useSignal<Format>(stored?.format ?? 'ntfy')
  const url = useSignal(stored?.url ?? '')
  const events = useSignal<readonly WebhookEvent[]>(stored?.events ?? ['new_episode'])
  const secret = useSignal('')
  const { isBusy, error, run } = useMutation()
  const errors = fieldErrors(error.value, ['url'], 'outlets.webhook')

  async function save(): Promise<void> {
    const body = { url: url.value.trim(), format: format.value, events: [...events.value] }
    const hasWorked = await run(async () => {
      const saved = await call('setWebhook', { body })
      secret.value = format.value === 'json' ? (saved.secret ?? '') : ''
    })
    if (!hasWorked) return
    toast(t('outlets.webhook.saved'))
    await reload()
  }

  return (
    // The server validates addresses better than the browser, whose messages soon disappear.
    <Form error={error.value} noValidate onSubmit={save}>
      <ErrorNotice text={errors.other} error={error.value} />
      <SelectField
        label={t('outlets.webhook.format')}
        value={format.value}
        options={FORMATS.map((value) => ({ value, label: t(`outlets.webhook.formats.${value}`) }))}
        onChoose={setter(format)}
      />
      <TextField
        type="url"
        label={t(`outlets.webhook.url.${format.value}`)}
        hint={t(`outlets.webhook.urlHint.${format.value}`)}
        placeholder={EXAMPLES[format.value]}
        error={errors.url}
        required
        value={url}
      />
      <fieldset class="rows">
        <legend class="field-label">{t('outlets.webhook.events')}</legend>
        {EVENTS.map((event) => (
          <Checkbox
            key={event}
            label={t(`outlets.webhook.event.${event}`)}
            checked={events.value.includes(event)}
            onChange={(isOn) => {
              events.value = withEvent(events.value, event, isOn)
            }}
          />
        ))}
      </fieldset>
      <div class="row">
        <Button
          kind={stored ? 'plain' : 'main'}
          type="submit"
          isBusy={isBusy.value}
          disabled={events.value.length === 0}
        >
          {stored ? t('common.save') : t('outlets.webhook.turnOn')}
        </Button>
      </div>
      <div role="status">
        {secret.value !== '' && (
          <Notice>
            <p>{t('outlets.webhook.secretText')}</p>
            <CopyField text={secret.value} label={t('outlets.webhook.secret')} />
          </Notice>
        )}
      </div>
    </Form>
  )
}
