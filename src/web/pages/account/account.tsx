import { call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Checkbox, SelectField } from '../../components/forms/field.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { LANGUAGES, type Language, language, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { chooseLanguage, shortcuts, type Theme, theme } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { EmailForm } from './email.tsx'
import { RemoveAccount } from './removal.tsx'
import { Sessions } from './sessions.tsx'
import { Identities, PasswordForm } from './sign-in.tsx'

/** The user's own account. */
export default function Account() {
  const { data, error, reload } = useQuery((signal) => call('listIdentities', { signal }))
  const { value } = account
  if (!value) return null
  const lead = t(value.is_admin ? 'account.leadAdmin' : 'account.lead', { username: value.username })
  const identities = data.value
  return (
    <Page title={t('account.title')} lead={lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!identities && !error.value && <Skeleton height="14rem" count={4} />}
      {identities && (
        <div class="sections">
          <EmailForm isLinked={identities.length > 0} />
          <PasswordForm isLinked={identities.length > 0} />
          <Sessions />
          <Identities identities={identities} onChange={reload} />
          <Appearance />
          <ExportData />
          <RemoveAccount />
        </div>
      )}
    </Page>
  )
}

/** Downloads everything as a file. It is a plain link, so that the browser streams it to disk. */
function ExportData() {
  return (
    <Section title={t('account.export.title')} lead={t('account.export.lead')}>
      <p>{t('account.export.text')}</p>
      <div class="row">
        <ButtonLink href={href('/api/2/me/export')} download={`podstep-${account.value?.username ?? ''}.json`}>
          {t('account.export.button')}
        </ButtonLink>
      </div>
      <p class="muted small">
        {t('account.export.opml')} <a href={href('/transfer')}>{t('common.nav.transfer')}</a>
      </p>
    </Section>
  )
}

const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** Settings that this browser remembers. */
function Appearance() {
  return (
    <Section title={t('account.browser.title')} lead={t('account.browser.lead')}>
      <div class="appearance">
        <SelectField
          label={t('common.theme.label')}
          value={theme.value}
          options={THEMES.map((value) => ({ value, label: t(`common.theme.${value}`) }))}
          onChoose={(value) => {
            theme.value = value
          }}
        />
        <SelectField<Language>
          label={t('common.language')}
          value={language.value}
          options={LANGUAGES.map(({ code, name }) => ({ value: code, label: name }))}
          onChoose={(value) => void chooseLanguage(value)}
        />
      </div>
      <div>
        <Checkbox
          label={t('common.shortcuts.on')}
          checked={shortcuts.value === 'on'}
          onChange={(isOn) => {
            shortcuts.value = isOn ? 'on' : 'off'
          }}
        />
        <p class="field-hint">{t('account.browser.shortcutsHint')}</p>
      </div>
    </Section>
  )
}
