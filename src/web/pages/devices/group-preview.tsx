import type { ComponentChildren } from 'preact'
import { Icon } from '../../parts/icon.tsx'
import { language, plural, t } from '../../text/index.ts'
import { captionOf } from './names.ts'
import { PodcastNames } from './podcast-names.tsx'
import type { Gain, Preview } from './preview.ts'

/** Who gets what, before it is saved. */
export function GroupPreview({ preview }: { preview: Preview }) {
  const { gains, total, released } = preview
  return (
    <div class="stack">
      <ul class="preview-list">
        {gains.map((gain) => (
          <GainLine key={gain.device} gain={gain} />
        ))}
        {released.map((device) => (
          <Line key={device} icon="info" device={device}>
            {t().devices.group.leaves}
          </Line>
        ))}
      </ul>
      {gains.length > 0 && <p>{plural(t().devices.group.total, total, language.value)}</p>}
    </div>
  )
}

function GainLine({ gain: { device, podcasts } }: { gain: Gain }) {
  const { gets, getsNone } = t().devices.group
  if (podcasts.length === 0)
    return (
      <Line icon="check" device={device}>
        {getsNone}
      </Line>
    )
  return (
    <Line icon="plus" device={device}>
      <PodcastNames summary={plural(gets, podcasts.length, language.value)} podcasts={podcasts} />
    </Line>
  )
}

interface LineProps {
  readonly icon: 'plus' | 'check' | 'info'
  readonly device: string
  readonly children: ComponentChildren
}

function Line({ icon, device, children }: LineProps) {
  return (
    <li class={`preview-line preview-${icon}`}>
      <Icon name={icon} />
      <div>
        <strong>
          <bdi>{captionOf(device)}</bdi>
        </strong>{' '}
        {children}
      </div>
    </li>
  )
}
