import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { call } from '../../api/client.ts'
import { QueryState } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { languageChoice, ShortcutsChoice, themeChoice } from '../../components/forms/preferences.tsx'
import { Page, Section, Skeleton } from '../../components/layout/page.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { leaveDeletedAccount } from '../../store/account/sign-out.ts'
import { href } from '../../store/paths.ts'
import { account, isSameName, ownName } from '../../store/session.ts'
import { AppPasswords } from './app-passwords.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { EmailRow, Identities, PasswordRow } from './sign-in.tsx'

const SECTIONS_WITH_LISTS = 3

export default function Account() {
  const query = useQuery((signal) => call('listIdentities', { signal }))
  /** Sections that have loaded. All are shown together, because each would shift those below. */
  const settled = useSignal<ReadonlySet<string>>(new Set())
  const settle = (name: string) => () => {
    settled.value = new Set([...settled.value, name])
  }
  const { value } = account
  if (!value) return null
  const lead = t(value.is_admin ? 'account.leadAdmin' : 'account.lead', { username: value.username })
  const identities = query.data.value
  const skeleton = <Skeleton height="14rem" count={4} />
  return (
    <Page title={t('account.title')} lead={lead}>
      <QueryState query={query} skeleton={skeleton} />
      {identities && settled.value.size < SECTIONS_WITH_LISTS && skeleton}
      {identities && (
        <div class="sections" hidden={settled.value.size < SECTIONS_WITH_LISTS}>
          <Section title={t('account.signIn.title')} lead={t('account.signIn.lead')}>
            <ul class="rows">
              <EmailRow isLinked={identities.length > 0} />
              <PasswordRow isLinked={identities.length > 0} />
              <SecondFactor onSettled={settle('secondFactor')} />
            </ul>
          </Section>
          <Identities identities={identities} onChange={query.reload} />
          <AppPasswords onSettled={settle('appPasswords')} />
          <Sessions onSettled={settle('sessions')} />
          <Appearance />
          <OutletsLink />
          <ExportData />
          <RemoveAccount />
        </div>
      )}
    </Page>
  )
}

/** Links to private feeds and notifications. */
function OutletsLink() {
  return (
    <Section title={t('outlets.title')} lead={t('outlets.lead')}>
      <p>{t('outlets.about')}</p>
      <div class="row">
        <ButtonLink href={href('/outlets')}>{t('outlets.open')}</ButtonLink>
      </div>
    </Section>
  )
}

/** Downloads the account as a file. A plain link lets the browser stream it to disk. */
function ExportData() {
  return (
    <Section title={t('account.export.title')} lead={t('account.export.lead')}>
      <p>{t('account.export.text')}</p>
      <div class="row">
        <ButtonLink href={href('/api/2/me/export')} download={`podstep-${ownName()}.json`}>
          {t('account.export.button')}
        </ButtonLink>
      </div>
      <p class="muted small">
        {t('account.export.opml')} <a href={href('/transfer')}>{t('common.nav.transfer')}</a>
      </p>
    </Section>
  )
}

/** Settings stored in this browser. */
function Appearance() {
  return (
    <Section title={t('account.browser.title')} lead={t('account.browser.lead')}>
      <div class="appearance">
        <SelectField {...themeChoice()} />
        <SelectField {...languageChoice()} />
      </div>
      <div>
        <ShortcutsChoice />
        <p class="muted small">{t('account.browser.shortcutsHint')}</p>
      </div>
    </Section>
  )
}

function RemoveAccount() {
  const { route } = useLocation()
  const isAsking = useSignal(false)
  return (
    <Section title={t('account.removal.title')} lead={t('account.removal.lead')}>
      <div class="row">
        <Button kind="danger" icon="trash" onClick={setTo(isAsking, true)}>
          {t('account.removal.button')}
        </Button>
      </div>
      {isAsking.value && (
        <RemovalDialog
          onClose={setTo(isAsking, false)}
          onDone={() => {
            route(href('/login'), true)
            leaveDeletedAccount()
          }}
        />
      )}
    </Section>
  )
}

function RemovalDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { username, has_password: hasPassword } = account.value ?? { username: '', has_password: true }
  const password = useSignal('')
  const typed = useSignal('')
  const isReady = hasPassword ? password.value !== '' : isSameName(typed.value, username)

  function remove(): Promise<unknown> {
    const body = hasPassword ? { username, password: password.value } : { username: typed.value.trim() }
    return call('deleteOwnAccount', { body })
  }

  return (
    <FormDialog
      title={t('account.removal.ask', { username })}
      submit={t('account.removal.confirm')}
      kind="danger"
      isReady={isReady}
      errorScope="account"
      onSubmit={remove}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{t('account.removal.text')}</p>
      {hasPassword ? (
        <TextField kind="password" label={t('account.password')} value={password} />
      ) : (
        <TextField label={t('account.removal.name', { username })} value={typed} />
      )}
    </FormDialog>
  )
}
