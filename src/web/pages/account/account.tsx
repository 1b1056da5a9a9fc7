import { call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Checkbox, SelectField } from '../../components/forms/field.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { href } from '../../store/paths.ts'
import { chooseLanguage, shortcuts, type Theme, theme } from '../../store/preferences.ts'
import { account } from '../../store/session.ts'
import { fill, LANGUAGES, type Language, language, t } from '../../text/index.ts'
import { EmailForm } from './contact.tsx'
import { RemoveAccount } from './removal.tsx'
import { Sessions } from './sessions.tsx'
import { Identities, PasswordForm } from './sign-in.tsx'

/** What somebody can change about the own account. */
export default function Account() {
  const texts = t().account
  const { data, error, reload } = useLoad((signal) => call('listIdentities', { signal }))
  const { value } = account
  if (!value) return null
  const lead = fill(value.is_admin ? texts.leadAdmin : texts.lead, { username: value.username })
  const identities = data.value
  return (
    <Page title={texts.title} lead={lead}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!identities && !error.value && <Skeleton height="14rem" count={4} />}
      {identities && (
        <div class="sections">
          <EmailForm isLinked={identities.length > 0} />
          <PasswordForm isLinked={identities.length > 0} />
          <Sessions />
          <Identities identities={identities} onChange={reload} />
          <Look />
          <ExportData />
          <RemoveAccount />
        </div>
      )}
    </Page>
  )
}

/** Everything as a file: the browser takes it straight from the server, however large it is. */
function ExportData() {
  const texts = t().account.export
  return (
    <Section title={texts.title} lead={texts.lead}>
      <p>{texts.text}</p>
      <div class="row">
        <ButtonLink href={href('/api/2/me/export')} download={`podstep-${account.value?.username ?? ''}.json`}>
          {texts.button}
        </ButtonLink>
      </div>
      <p class="muted small">
        {texts.opml} <a href={href('/transfer')}>{t().common.nav.transfer}</a>
      </p>
    </Section>
  )
}

const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** What this browser keeps for itself. */
function Look() {
  const { look } = t().account
  const { theme: themes, language: languageLabel, shortcuts: keys } = t().common
  return (
    <Section title={look.title} lead={look.lead}>
      <div class="look">
        <SelectField
          label={themes.label}
          value={theme.value}
          options={THEMES.map((value) => ({ value, label: themes[value] }))}
          onChoose={(value) => {
            theme.value = value
          }}
        />
        <SelectField<Language>
          label={languageLabel}
          value={language.value}
          options={languages()}
          onChoose={(value) => void chooseLanguage(value)}
        />
      </div>
      <div>
        <Checkbox
          label={keys.on}
          checked={shortcuts.value === 'on'}
          onChange={(isOn) => {
            shortcuts.value = isOn ? 'on' : 'off'
          }}
        />
        <p class="field-hint">{look.shortcutsHint}</p>
      </div>
    </Section>
  )
}

function languages(): { value: Language; label: string }[] {
  const { en, de, fr, es, it } = LANGUAGES
  return [
    { value: 'en', label: en },
    { value: 'de', label: de },
    { value: 'fr', label: fr },
    { value: 'es', label: es },
    { value: 'it', label: it },
  ]
}
