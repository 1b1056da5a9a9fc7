import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../components/icon.tsx'
import { language, t } from '../../locales/index.ts'
import { applyEdit, captionOf, devicesIn, type GroupEdit, type Groups, requestsOf } from './groups.ts'

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
          <bdi>{captionOf(device)}</bdi>
        </strong>{' '}
        {children}
      </div>
    </li>
  )
}

/** How many, and on demand which. */
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
  /** What it gets from the others. */
  readonly podcasts: readonly HeldPodcast[]
}

interface Preview {
  /** What each member gets, most first. */
  readonly gains: readonly Gain[]
  /** How many podcasts all members together have afterwards. */
  readonly total: number
  /** Those that were in a group before and are in none afterwards. */
  readonly released: readonly string[]
}

/** What comes of a wish: the members get the union of their lists (docs/protocol.md#D35); whoever leaves keeps what it has. */
export function previewGroup(podcasts: readonly HeldPodcast[], groups: Groups, wish: GroupEdit): Preview {
  const members = devicesIn(wish)
  const isJoining = requestsOf(groups, wish).some(({ synchronize }) => synchronize)
  const union = podcasts.filter(({ devices }) => devices.some((device) => members.includes(device)))
  const gains = members.map((device) => ({
    device,
    podcasts: isJoining ? union.filter(({ devices }) => !devices.includes(device)) : [],
  }))
  const grouped = applyEdit(groups, wish).flat()
  return {
    gains: gains.toSorted((a, b) => b.podcasts.length - a.podcasts.length),
    total: union.length,
    released: groups.flat().filter((device) => !grouped.includes(device)),
  }
}

export interface RemovalPreview {
  /** What no other device has. */
  readonly lost: readonly HeldPodcast[]
  /** How many of its podcasts are on others, too. */
  readonly kept: number
}

/** What goes with a device when it is deleted. */
export function previewRemoval(podcasts: readonly HeldPodcast[], device: string): RemovalPreview {
  const held = podcasts.filter(({ devices }) => devices.includes(device))
  const lost = held.filter(({ devices }) => devices.length === 1)
  return { lost, kept: held.length - lost.length }
}
