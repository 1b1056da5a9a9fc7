import { call } from '../../api/client.ts'
import { QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { languageChoice, ShortcutsChoice, themeChoice } from '../../components/forms/preferences.tsx'
import { Page, Section, Skeleton } from '../../components/layout/page.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { account, ownName } from '../../store/session.ts'
import { RemoveAccount } from './removal.tsx'
import { Sessions } from './sessions.tsx'
import { EmailForm, Identities, PasswordForm } from './sign-in.tsx'

/** The user's own account. */
export default function Account() {
  const query = useQuery((signal) => call('listIdentities', { signal }))
  const { value } = account
  if (!value) return null
  const lead = t(value.is_admin ? 'account.leadAdmin' : 'account.lead', { username: value.username })
  const identities = query.data.value
  return (
    <Page title={t('account.title')} lead={lead}>
      <QueryState query={query} skeleton={<Skeleton height="14rem" count={4} />} />
      {identities && (
        <div class="sections">
          <EmailForm isLinked={identities.length > 0} />
          <PasswordForm isLinked={identities.length > 0} />
          <Sessions />
          <Identities identities={identities} onChange={query.reload} />
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

/** Settings that this browser remembers. */
function Appearance() {
  return (
    <Section title={t('account.browser.title')} lead={t('account.browser.lead')}>
      <div class="appearance">
        <SelectField {...themeChoice()} />
        <SelectField {...languageChoice()} />
      </div>
      <div>
        <ShortcutsChoice />
        <p class="field-hint">{t('account.browser.shortcutsHint')}</p>
      </div>
    </Section>
  )
}
