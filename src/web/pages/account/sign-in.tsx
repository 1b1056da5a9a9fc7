import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { ErrorNotice, fieldErrors } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/page.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { date, findText, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, server } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { sessionChanges } from './sessions.tsx'
import { SettingRow } from './setting-row.tsx'

const PASSWORD_FIELDS = ['old_password', 'new_password'] as const
const EMAIL_FIELDS = ['email', 'password'] as const

/** Changes the password, or sets the first one for a user who signs in with a provider. */
export function PasswordRow({ isLinked }: { isLinked: boolean }) {
  const hasOne = account.value?.has_password === true
  const isOpen = useSignal(false)
  const action = hasOne ? t('account.change') : t('account.newPassword.set')
  return (
    <SettingRow
      title={t('account.newPassword.title')}
      value={hasOne ? t('account.newPassword.has') : t('account.newPassword.leadSet', { provider: providerName() })}
    >
      <Button {...(hasOne && { about: t('account.newPassword.title') })} onClick={setTo(isOpen, true)}>
        {action}
      </Button>
      {isOpen.value && <PasswordDialog isLinked={isLinked} hasOne={hasOne} onClose={setTo(isOpen, false)} />}
    </SettingRow>
  )
}

interface PasswordDialogProps {
  readonly isLinked: boolean
  readonly hasOne: boolean
  readonly onClose: () => void
}

function PasswordDialog({ isLinked, hasOne, onClose }: PasswordDialogProps) {
  const old = useSignal('')
  const password = useSignal('')
  const errorsOf = (error: unknown) => fieldErrors(error, PASSWORD_FIELDS, 'account')
  const name = hasOne ? t('account.newPassword.save') : t('account.newPassword.set')

  function submit(): Promise<unknown> {
    const body = {
      username: account.value?.username ?? null,
      new_password: password.value,
      ...(old.value !== '' && { old_password: old.value }),
    }
    return call('changePassword', { body })
  }

  function done(): void {
    sessionChanges.value++
    toast(hasOne ? t('account.newPassword.saved') : t('account.newPassword.isSet'))
    if (account.value) account.value = { ...account.value, has_password: true }
  }

  return (
    <FormDialog
      title={name}
      submit={name}
      errorText={(error) => errorsOf(error).other ?? ''}
      onSubmit={submit}
      onClose={onClose}
      onDone={done}
    >
      {(error) => (
        <>
          {hasOne && <p class="muted">{t('account.newPassword.lead')}</p>}
          {/* Tells password managers which user name the password belongs to. */}
          <input type="text" name="username" autoComplete="username" value={account.value?.username} readOnly hidden />
          {hasOne && (
            <TextField
              kind="password"
              label={t('account.newPassword.old')}
              name="old-password"
              required={!isLinked}
              hint={isLinked && t('account.passwordMayLack', { provider: providerName() })}
              error={errorsOf(error).old_password}
              value={old}
            />
          )}
          <TextField
            kind="newPassword"
            label={t('account.newPassword.label')}
            name="new-password"
            hint={t('account.newPassword.hint')}
            error={errorsOf(error).new_password}
            value={password}
          />
        </>
      )}
    </FormDialog>
  )
}

type Identity = Answer<'listIdentities'>[number]

interface IdentitiesProps {
  readonly identities: readonly Identity[]
  readonly onChange: () => Promise<void>
}

/** Linked accounts at the single sign-on provider. Renders nothing on servers without single sign-on. */
export function Identities({ identities, onChange }: IdentitiesProps) {
  const unlinking = useSignal<Identity | undefined>(undefined)
  const { value: unlinked } = unlinking
  const errorCode = useSearchParam('error')
  const isOn = server.value?.sso.enabled === true
  const provider = providerName()
  if (!isOn && identities.length === 0) return null
  return (
    <Section title={t('account.identities.title')} lead={t('account.identities.lead', { provider })}>
      <ErrorNotice text={errorCode && (findText(`auth.errors.${errorCode}`) ?? t('account.identities.failed'))} />
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
              <Button kind="quiet" about={hostOf(identity.issuer)} onClick={setTo(unlinking, identity)}>
                {t('account.identities.unlink')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isOn && (
        <div class="row">
          {/* The server adds its subpath to return_to. Without a prompt, the provider would reuse the identity. */}
          <ButtonLink
            icon="connect"
            href={`${href('/auth/sso/login')}?link=1&return_to=/account${errorCode === 'identity_taken' ? '&prompt=select_account' : ''}`}
            isServerPage
          >
            {t('account.identities.link', { provider })}
          </ButtonLink>
        </div>
      )}
      {unlinked && (
        <FormDialog
          title={t('account.identities.unlinkTitle', { issuer: hostOf(unlinked.issuer) })}
          submit={t('account.identities.unlink')}
          errorScope="account"
          onSubmit={() => call('unlinkIdentity', { path: { id: unlinked.id } })}
          onClose={setTo(unlinking, undefined)}
          onDone={() => {
            toast(t('account.identities.unlinked'))
            void onChange()
          }}
        >
          <p>{t('account.identities.unlinkText')}</p>
        </FormDialog>
      )}
    </Section>
  )
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host || issuer
}

function providerName(): string {
  return server.value?.sso.provider_name ?? t('account.provider')
}

export function EmailRow({ isLinked }: { isLinked: boolean }) {
  const isOpen = useSignal(false)
  const address = account.value?.email
  return (
    <SettingRow title={t('account.email.title')} value={address ? <bdi>{address}</bdi> : t('account.email.missing')}>
      <Button about={t('account.email.title')} onClick={setTo(isOpen, true)}>
        {address ? t('account.change') : t('account.add')}
      </Button>
      {isOpen.value && <EmailDialog isLinked={isLinked} onClose={setTo(isOpen, false)} />}
    </SettingRow>
  )
}

function EmailDialog({ isLinked, onClose }: { readonly isLinked: boolean; readonly onClose: () => void }) {
  const email = useSignal(account.value?.email ?? '')
  const password = useSignal('')
  const errorsOf = (error: unknown) => fieldErrors(error, EMAIL_FIELDS, 'account')
  const address = email.value.trim()

  async function submit(): Promise<void> {
    const body = {
      username: account.value?.username ?? null,
      email: address,
      ...(password.value !== '' && { password: password.value }),
    }
    await call('changeEmail', { body })
    account.value = await call('getOwnAccount')
  }

  return (
    <FormDialog
      title={t('account.email.save')}
      submit={t('account.email.save')}
      isReady={address !== (account.value?.email ?? '')}
      errorText={(error) => errorsOf(error).other ?? ''}
      onSubmit={submit}
      onClose={onClose}
      onDone={() => toast(address === '' ? t('account.email.removed') : t('account.email.saved', { email: address }))}
    >
      {(error) => (
        <>
          <p class="muted">{t('account.email.lead')}</p>
          <TextField
            kind="email"
            label={t('account.email.label')}
            hint={t('account.email.none')}
            error={errorsOf(error).email}
            value={email}
          />
          {account.value?.has_password && (
            <TextField
              kind="password"
              label={t('account.password')}
              required={!isLinked}
              hint={
                isLinked ? t('account.passwordMayLack', { provider: providerName() }) : t('account.passwordConfirm')
              }
              error={errorsOf(error).password}
              value={password}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
