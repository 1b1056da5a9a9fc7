import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { captionOf } from '../../components/device.tsx'
import { Icon } from '../../components/icon.tsx'
import { language, t } from '../../locales/index.ts'
import { devices } from '../../store/subscriptions.ts'
import { applyEdit, devicesIn, type GroupEdit, type Groups, requestsOf } from './groups.ts'

/** Shows which podcasts each device would get if the edit were saved. */
export function GroupPreview({ preview }: { preview: Preview }) {
  const { gains, total, released } = preview
  return (
    <div class="stack">
      <ul class="stack-small">
        {gains.map((gain) => (
          <GainLine key={gain.device} gain={gain} />
        ))}
        {released.map((device) => (
          <Line key={device} icon="info" device={device}>
            {t('devices.group.leaves')}
          </Line>
        ))}
      </ul>
      {gains.length > 0 && <p>{t('devices.group.total', { n: total })}</p>}
    </div>
  )
}

function GainLine({ gain: { device, podcasts } }: { gain: Gain }) {
  if (podcasts.length === 0)
    return (
      <Line icon="check" device={device}>
        {t('devices.group.getsNone')}
      </Line>
    )
  return (
    <Line icon="plus" device={device}>
      <PodcastNames summary={t('devices.group.gets', { n: podcasts.length })} podcasts={podcasts} />
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
          <bdi>{captionOf(device, devices.value)}</bdi>
        </strong>{' '}
        {children}
      </div>
    </li>
  )
}

/** A summary that expands to the titles of the podcasts. */
export function PodcastNames({ summary, podcasts }: { summary: string; podcasts: readonly HeldPodcast[] }) {
  const isOpen = useSignal(false)
  return (
    <details
      class="podcast-names"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && (
        <ul>
          {podcasts
            .toSorted((a, b) => a.title.localeCompare(b.title, language.value))
            .map(({ url, title }) => (
              <li key={url}>
                <bdi>{title}</bdi>
              </li>
            ))}
        </ul>
      )}
    </details>
  )
}

/** A podcast and the IDs of the devices that have it. */
export interface HeldPodcast {
  readonly url: string
  readonly title: string
  readonly devices: readonly string[]
}

interface Gain {
  readonly device: string
  /** Podcasts that the device gets from the others. */
  readonly podcasts: readonly HeldPodcast[]
}

interface Preview {
  /** Podcasts that each device of the group gets, the largest gain first. */
  readonly gains: readonly Gain[]
  /** Number of podcasts of the group after the edit. */
  readonly total: number
  /** Devices that the edit leaves without a group. */
  readonly released: readonly string[]
}

/** Devices of a group get the union of their subscriptions (docs/protocol.md#D35); devices that leave keep theirs. */
export function previewGroup(podcasts: readonly HeldPodcast[], groups: Groups, edit: GroupEdit): Preview {
  const ids = devicesIn(edit)
  const isJoining = requestsOf(groups, edit).some(({ synchronize }) => synchronize)
  const union = podcasts.filter(({ devices }) => devices.some((device) => ids.includes(device)))
  const gains = ids.map((device) => ({
    device,
    podcasts: isJoining ? union.filter(({ devices }) => !devices.includes(device)) : [],
  }))
  const grouped = applyEdit(groups, edit).flat()
  return {
    gains: gains.toSorted((a, b) => b.podcasts.length - a.podcasts.length),
    total: union.length,
    released: groups.flat().filter((device) => !grouped.includes(device)),
  }
}

export interface RemovalPreview {
  /** Podcasts on no other device. */
  readonly lost: readonly HeldPodcast[]
  /** Number of podcasts that other devices have as well. */
  readonly kept: number
}

/** Returns the podcasts that would be lost, and the number kept, if the device were deleted. */
export function previewRemoval(podcasts: readonly HeldPodcast[], device: string): RemovalPreview {
  const held = podcasts.filter(({ devices }) => devices.includes(device))
  const lost = held.filter(({ devices }) => devices.length === 1)
  return { lost, kept: held.length - lost.length }
}
