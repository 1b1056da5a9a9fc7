import { signal } from '@preact/signals'
import { ButtonLink } from '../../components/forms/button.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import type { ServerCheck } from '../../store/account/server-checks.ts'
import { server } from '../../store/session.ts'
import { addressesForApps } from '../connect/connection.ts'
import { exampleAddress, FORMS, type Form, settingLines } from './setting-lines.ts'

/** Place in which the administrator keeps the settings. The choice applies to all entries. */
const form = signal<Form>('file')

/** A collapsed command, or lines for the settings. Renders nothing if there are neither. */
export function How({ check: { check, code, command, ways } }: { check: ServerCheck }) {
  if (command === '' && ways.length === 0) return null
  const address =
    addressesForApps(document.baseURI, server.value)[0] ?? exampleAddress(document.baseURI, t('admin.doctor.host'))
  return (
    <details>
      <summary>
        {t('admin.doctor.how')}
        <span class="hidden-text">: {t(`admin.doctor.checks.${check}`)}</span>
      </summary>
      <div class="stack-small step-lines">
        {command !== '' && <CopyField label={t('admin.doctor.command')} text={command} />}
        {ways.length > 0 && (
          <>
            <ButtonChoice
              class="segmented"
              label={t('admin.doctor.where')}
              value={form.value}
              options={FORMS.map((value) => ({ value, label: t(`admin.doctor.forms.${value}`) }))}
              onChoose={setter(form)}
            />
            {ways.map((lines, index) => (
              <div class="stack-small" key={index}>
                {index > 0 && <p>{t('admin.doctor.or')}</p>}
                <CopyField
                  label={t(`admin.doctor.forms.${form.value}`)}
                  text={settingLines(lines, form.value, code === 'base_url_redirects' ? undefined : address)}
                />
              </div>
            ))}
            <p class="muted small">{t('admin.doctor.restart')}</p>
          </>
        )}
        {code === 'directory_none' && (
          <p>
            <ButtonLink href="https://api.podcastindex.org/" icon="external" isExternal>
              {t('admin.doctor.getKey')}
            </ButtonLink>
          </p>
        )}
      </div>
    </details>
  )
}
