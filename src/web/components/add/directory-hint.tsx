import { t } from '../../locales/index.ts'
import { account, hasDirectory, isOutbound } from '../../store/session.ts'
import { ButtonLink } from '../forms/button.tsx'
import { CopyField } from '../forms/field.tsx'

const KEYS = ['directory_key', 'directory_secret'] as const

/** Shows administrators how to configure an external directory. Hidden if there is one or `outbound` is off. */
export function DirectoryHint() {
  if (hasDirectory() || !isOutbound() || !account.value?.is_admin) return null
  const keys = KEYS.map((key) => `${key} = "…"`).join('\n')
  return (
    <details class="small">
      <summary>{t('add.directory.title')}</summary>
      <div class="stack-small">
        <p>{t('add.directory.apple')}</p>
        <CopyField text={'directory = "apple"'} label={t('add.directory.lines')} />
        <p>{t('add.directory.index')}</p>
        <p>
          <ButtonLink href="https://api.podcastindex.org/" icon="external" isExternal>
            {t('admin.doctor.getKey')}
          </ButtonLink>
        </p>
        <CopyField text={keys} label={t('add.directory.lines')} />
        <p class="muted">
          {t('add.directory.environment')} <code>SVC_DIRECTORY</code>, <code>SVC_DIRECTORY_KEY</code>,{' '}
          <code>SVC_DIRECTORY_SECRET</code>.
        </p>
      </div>
    </details>
  )
}
