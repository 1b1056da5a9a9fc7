import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type Answer, call } from '../../api/client.ts'
import { Failure } from '../../components/feedback/notice.tsx'
import { Checkbox, SearchBox } from '../../components/forms/field.tsx'
import { Section } from '../../components/layout/section.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'

type Setting = Answer<'listServerSettings'>[number]

/** The settings in effect, and where each comes from. */
export function Settings() {
  const { data, error, reload } = useQuery((signal) => call('listServerSettings', { signal }))
  const filter = useSignal('')
  const onlySet = useSignal(true)
  const text = filter.value.trim().toLowerCase()
  const shown = (data.value ?? []).filter(
    ({ key, description, origin }) =>
      (!onlySet.value || origin !== 'default') && `${key} ${description.toLowerCase()}`.includes(text),
  )
  return (
    <Section title={t('admin.server.settings.title')} lead={t('admin.server.settings.lead')}>
      {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
      {!data.value && !error.value && <Skeleton height="3.5rem" count={8} />}
      {data.value && (
        <>
          <SearchBox
            label={t('admin.server.settings.filter')}
            value={filter.value}
            onInput={(value) => {
              filter.value = value
            }}
          />
          <Checkbox
            label={t('admin.server.settings.onlySet')}
            checked={onlySet.value}
            onChange={(isOn) => {
              onlySet.value = isOn
            }}
          />
          <p class={shown.length > 0 ? 'hidden-text' : 'muted'} role="status">
            {shown.length === 0 && t('admin.server.settings.none')}
          </p>
          <ul class="rows">
            {shown.map((setting) => (
              <li key={setting.key} class="setting">
                <SettingItem setting={setting} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

function SettingItem({ setting: { key, value, origin, secret, description } }: { setting: Setting }) {
  return (
    <>
      <div>
        <h3>
          <code>{key}</code>
        </h3>
        <p class="muted small" lang="en">
          {withCode(description)}
        </p>
      </div>
      <div class="setting-value">
        {value === '' && <span class="muted">{t('admin.server.settings.empty')}</span>}
        {value !== '' && (secret ? <span>{t('admin.server.settings.secretSet')}</span> : <code>{value}</code>)}
        <span class={origin === 'default' ? 'chip' : 'chip chip-good'}>
          {t(`admin.server.settings.origins.${origin}`)}
        </span>
      </div>
    </>
  )
}

/** Sets text in backticks, such as names of settings, as code. */
function withCode(text: string): ComponentChildren[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}
