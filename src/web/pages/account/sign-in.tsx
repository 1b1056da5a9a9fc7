import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { useErrorFocus } from '../../components/forms/focus.ts'
import { Section } from '../../components/layout/section.tsx'
import { useMutation } from '../../hooks/use-mutation.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { date } from '../../locales/format.ts'
import { findText, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { sessionChanges } from './sessions.tsx'

/** Changes the password, or sets the first one of a user who signs in with a provider. */
export function PasswordForm({ isLinked }: { isLinked: boolean }) {
  const hasOne = account.value?.has_password === true
  const old = useSignal('')
  const password = useSignal('')
  const { isBusy, error, run } = useMutation()
  const form = useErrorFocus(error.value)
  const { field, text } = error.value === undefined ? { field: undefined, text: '' } : fieldError(error.value)
  const provider = providerName()

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const body = {
      username: account.value?.username ?? null,
      new_password: password.value,
      ...(old.value !== '' && { old_password: old.value }),
    }
    if (!(await run(() => call('changePassword', { body })))) return
    old.value = ''
    password.value = ''
    sessionChanges.value++
    toast(hasOne ? t('account.newPassword.saved') : t('account.newPassword.isSet'))
    if (account.value) account.value = { ...account.value, has_password: true }
  }

  return (
    <Section
      title={t('account.newPassword.title')}
      lead={hasOne ? t('account.newPassword.lead') : t('account.newPassword.leadSet', { provider })}
    >
      <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
        {/* Tells password managers which user name the password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={account.value?.username} readOnly hidden />
        {field !== undefined && field !== 'old_password' && field !== 'new_password' && (
          <Notice kind="error">
            <p>{text}</p>
          </Notice>
        )}
        {hasOne && (
          <TextField
            label={t('account.newPassword.old')}
            type="password"
            name="old-password"
            autoComplete="current-password"
            required={!isLinked}
            hint={isLinked && t('account.passwordMayLack', { provider })}
            error={field === 'old_password' ? text : undefined}
            value={old.value}
            onInput={(value) => {
              old.value = value
            }}
          />
        )}
        <TextField
          label={t('account.newPassword.label')}
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          minLength={4}
          maxLength={256}
          hint={t('account.newPassword.hint')}
          error={field === 'new_password' ? text : undefined}
          value={password.value}
          onInput={(value) => {
            password.value = value
          }}
        />
        <div class="row">
          <Button type="submit" isBusy={isBusy.value}>
            {hasOne ? t('account.newPassword.save') : t('account.newPassword.set')}
          </Button>
        </div>
      </form>
    </Section>
  )
}

type Identity = Answer<'listIdentities'>[number]

interface IdentitiesProps {
  readonly identities: readonly Identity[]
  readonly onChange: () => Promise<void>
}

/** The accounts at a provider that can sign in to this one. Renders nothing on servers without single sign-on. */
export function Identities({ identities, onChange }: IdentitiesProps) {
  const unlinking = useSignal<Identity | undefined>(undefined)
  const errorCode = useSearchParam('error')
  const isOn = server.value?.sso.enabled === true
  const provider = providerName()
  if (!isOn && identities.length === 0) return null
  return (
    <Section title={t('account.identities.title')} lead={t('account.identities.lead', { provider })}>
      {errorCode !== '' && (
        <Notice kind="error">
          <p>{findText(`auth.errors.${errorCode}`) ?? t('account.identities.failed')}</p>
        </Notice>
      )}
      {identities.length === 0 && <p>{t('account.identities.none')}</p>}
      {identities.length > 0 && (
        <ul class="rows">
          {identities.map((identity) => (
            <li key={identity.id} class="row-apart">
              <div>
                <h3>{hostOf(identity.issuer)}</h3>
                <p class="muted small">
                  <bdi>{identity.subject}</bdi> · {t('account.identities.linked', { date: date(identity.linked) })}
                </p>
              </div>
              <Button
                kind="quiet"
                onClick={() => {
                  unlinking.value = identity
                }}
              >
                {t('account.identities.unlink')}
                <span class="hidden-text">: {hostOf(identity.issuer)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isOn && (
        <div class="row">
          {/* The server adds its own sub-path to return_to. */}
          <ButtonLink icon="connect" href={`${href('/auth/sso/login')}?link=1&return_to=/account`} isServerPage>
            {t('account.identities.link', { provider })}
          </ButtonLink>
        </div>
      )}
      {unlinking.value && (
        <Unlink
          identity={unlinking.value}
          onClose={() => {
            unlinking.value = undefined
          }}
          onDone={() => {
            toast(t('account.identities.unlinked'))
            void onChange()
          }}
        />
      )}
    </Section>
  )
}

interface UnlinkProps {
  readonly identity: Identity
  readonly onClose: () => void
  readonly onDone: () => void
}

function Unlink({ identity: { id, issuer }, onClose, onDone }: UnlinkProps) {
  return (
    <FormDialog
      title={t('account.identities.unlinkTitle', { issuer: hostOf(issuer) })}
      submit={t('account.identities.unlink')}
      errorScope="account"
      onSubmit={() => call('unlinkIdentity', { path: { id } })}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{t('account.identities.unlinkText')}</p>
    </FormDialog>
  )
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host || issuer
}

interface FieldError {
  readonly field: string
  readonly text: string
}

/** The message for an error, and the field it is about; `''` if it is about none. */
export function fieldError(error: unknown): FieldError {
  const field = error instanceof ApiError ? (error.field ?? '') : ''
  return { field, text: errorMessage(error, 'account') }
}

/** The name of the single sign-on provider. */
export function providerName(): string {
  return server.value?.sso.provider_name ?? t('account.provider')
}
