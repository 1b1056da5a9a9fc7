import type { ComponentChildren } from 'preact'
import { useLinkInPlace } from '../../hooks/use-back.ts'
import { clockTime } from '../../locales/calendar.ts'
import { ago, duration, t, timeLeft } from '../../locales/index.ts'
import { keyOf, type ListedEpisode, secondsLeft, toPlayable } from '../../store/episodes/lists.ts'
import { markEpisodes, restoreEpisodes } from '../../store/episodes/marks.ts'
import { href } from '../../store/paths.ts'
import { currentProgress } from '../../store/playback/now-playing.ts'
import { useDeviceCaptions } from '../device.tsx'
import { closeDialog } from '../forms/dialog.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { MetaLine } from '../layout/page.tsx'
import { PlayButton } from '../player/play-button.tsx'
import { Artwork } from './artwork.tsx'
import { EpisodeMenu } from './episode-menu.tsx'
import { MarkButton } from './mark-button.tsx'
import { markAllWithUndo, offerUndo } from './offer-undo.tsx'

interface EpisodeRowProps {
  readonly item: ListedEpisode
  /** Returns the name of a device by its ID. */
  readonly deviceName: (id: string) => string
  /** Whether the row is listed under its day, so that only the time of release is shown. */
  readonly isInDay?: boolean
  /** Whether the row shares a line with others, so that space is short. */
  readonly isTile?: boolean
  /** Undefined unless episodes are being selected. */
  readonly isSelected?: boolean
  readonly onSelect?: () => void
  /** Reloads the list after several episodes were marked. */
  readonly onChange?: () => Promise<unknown>
  /** Content before the picture, used by the queue. */
  readonly before?: ComponentChildren
  /** Further menu items. */
  readonly moreItems?: ComponentChildren
}

/** Episode in a list with several podcasts: titles, time left, and buttons to play and mark it. */
export function EpisodeRow({
  item: loaded,
  deviceName,
  isInDay = false,
  isTile = false,
  isSelected = false,
  onSelect,
  onChange = async () => undefined,
  before,
  moreItems,
}: EpisodeRowProps) {
  const item = withCurrentProgress(loaded)
  const { podcast, episode, state, position = 0, total = 0, device } = item
  const remaining = secondsLeft(item)
  const replace = useLinkInPlace()
  const go = (event: MouseEvent) => {
    replace(event)
    closeDialog(event)
  }
  const when =
    remaining === undefined
      ? episode.released !== '' && (
          <time dateTime={`${episode.released}Z`}>
            {isInDay ? clockTime(Date.parse(`${episode.released}Z`) / 1000) : ago(episode.released)}
          </time>
        )
      : timeLeft(remaining)
  // In the queue, the duration matters more than the release date.
  const hint = before && remaining === undefined && episode.duration !== null ? duration(episode.duration) : when
  return (
    <li class="media episode-row" data-state={state} data-key={keyOf(item)}>
      {onSelect && (
        <label class="episode-row-check">
          <input type="checkbox" checked={isSelected} onChange={onSelect} />
          <span class="hidden-text">{t('inbox.selectEpisode', { title: episode.title })}</span>
        </label>
      )}
      {before}
      <Artwork
        url={podcast.url}
        title={podcast.title}
        size={128}
        hasPicture={podcast.logo_url !== ''}
        episode={episode.has_picture ? episode.url : undefined}
      />
      <div class="media-text">
        <h3 class="clamp" dir="auto">
          <a href={href('/episode', { podcast: podcast.url, url: episode.url })} data-item="" onClick={go}>
            {episode.title}
          </a>
        </h3>
        {isTile ? (
          <>
            <p class="cut muted small" dir="auto">
              {podcast.title}
            </p>
            {hint && <p class="cut muted small">{hint}</p>}
          </>
        ) : (
          <MetaLine
            items={[
              <bdi>{podcast.title}</bdi>,
              when,
              remaining === undefined && episode.duration !== null && duration(episode.duration),
              remaining !== undefined && device !== undefined && t('episodes.onDevice', { device: deviceName(device) }),
              state === 'played' && t('episodes.played'),
            ]}
          />
        )}
        {remaining !== undefined && (
          <progress class="progress" max={total || (episode.duration ?? 0)} value={position} aria-hidden="true" />
        )}
      </div>
      <div class="episode-row-actions">
        {!isTile && (
          <MarkButton
            title={episode.title}
            isPlayed={state === 'played'}
            onMark={(isPlayed, event) => mark(item, isPlayed, event)}
          />
        )}
        <PlayButton episode={toPlayable(item)} />
        <EpisodeMenu
          episode={toPlayable(item)}
          isPlayed={state === 'played'}
          onMark={(isPlayed) => markWithUndo([item], isPlayed ? 'played' : 'new')}
          onMarkOlder={isTile ? undefined : () => markOlder(item, onChange)}
        >
          {moreItems}
        </EpisodeMenu>
      </div>
    </li>
  )
}

/** Returns the item with its current progress if it plays in this browser. */
function withCurrentProgress(item: ListedEpisode): ListedEpisode {
  const progress = currentProgress(item.episode.url)
  if (!progress) return item
  const { device: _, ...rest } = item
  const state = progress.isDone ? 'played' : 'in_progress'
  return { ...rest, state, position: progress.position, ...(progress.total !== undefined && { total: progress.total }) }
}

/** Marks the episode and moves the focus on, since lists of unplayed episodes lose the row with the focused button. */
async function mark(item: ListedEpisode, isPlayed: boolean, { currentTarget }: MouseEvent): Promise<void> {
  const next = neighbourOf(currentTarget)
  await markWithUndo([item], isPlayed ? 'played' : 'new')
  restoreFocus(next ?? document.querySelector('h1'))
}

/** Marks the episode and all older ones of its podcast as played. */
function markOlder({ podcast: { url }, episode }: ListedEpisode, onChange: () => Promise<unknown>): Promise<void> {
  const newest = { podcast: url, episode: episode.url }
  return markAllWithUndo({ podcasts: [url], newest }, 'played', onChange)
}

/** Returns the link of the next episode on the page, or of the previous one for the last. */
function neighbourOf(button: EventTarget | null): HTMLElement | undefined {
  const row = button instanceof Element ? button.closest('li') : null
  const links = [...document.querySelectorAll<HTMLElement>('main a[data-item]')]
  const index = links.findIndex((link) => link.closest('li') === row)
  return links[index + 1] ?? links[index - 1]
}

/** Marks episodes and shows a message with an undo button. Never rejects. */
export async function markWithUndo(items: readonly ListedEpisode[], as: 'played' | 'new'): Promise<void> {
  await offerUndo({
    as,
    async mark() {
      const undo = await markEpisodes(items, as)
      return { n: items.length, restore: () => restoreEpisodes(items, undo) }
    },
  })
}

interface EpisodeRowsProps {
  readonly items: readonly ListedEpisode[]
  /** Reloads the list after several episodes were marked. */
  readonly onChange: () => Promise<unknown>
}

/** List of episodes found by a search. */
export function EpisodeRows({ items, onChange }: EpisodeRowsProps) {
  const deviceName = useDeviceCaptions()
  return (
    <ul class="episode-rows">
      {items.map((item) => (
        <EpisodeRow key={keyOf(item)} item={item} deviceName={deviceName} onChange={onChange} />
      ))}
    </ul>
  )
}
