import { useSignal } from '@preact/signals'
import { Notice } from '../../components/feedback/notice.tsx'
import { t } from '../../locales/index.ts'
import { type ServerAddress, stepParts } from './connection.ts'

const APPS = ['antennapod', 'gpodder', 'kasts', 'clementine', 'other'] as const

/** Instructions for each app. */
export function AppSteps({ server }: { server: ServerAddress }) {
  const chosen = useSignal<(typeof APPS)[number]>('antennapod')
  const app = chosen.value
  return (
    <div class="stack">
      <h2 id="app">{t('connect.which')}</h2>
      <fieldset class="row app-choices" aria-labelledby="app">
        {APPS.map((name) => (
          <button
            type="button"
            class="chip chip-choice"
            key={name}
            aria-pressed={app === name}
            onClick={() => {
              chosen.value = name
            }}
          >
            {t(`connect.apps.${name}.name`)}
          </button>
        ))}
      </fieldset>
      <div class="stack app-steps" aria-live="polite">
        <h3>
          {t(`connect.apps.${app}.name`)} <span class="muted">· {t(`connect.apps.${app}.runs`)}</span>
        </h3>
        <ol class="steps">
          {t(`connect.apps.${app}.steps`)
            .split('\n')
            .map((step) => (
              <li key={step}>
                <Step step={step} address={server.address} />
              </li>
            ))}
        </ol>
        {server.isPlain && t(`connect.apps.${app}.plain`) !== '' && (
          <Notice>
            <p>{t(`connect.apps.${app}.plain`)}</p>
          </Notice>
        )}
      </div>
    </div>
  )
}

function Step({ step, address }: { step: string; address: string }) {
  return (
    <p>
      {stepParts(step).map(({ kind, text }) => {
        if (kind === 'address') return <code key="address">{address}</code>
        return kind === 'screen' ? <strong key={text}>{text}</strong> : text
      })}
    </p>
  )
}
