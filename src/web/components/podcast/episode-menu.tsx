import type { ComponentChildren } from 'preact'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { shareLink } from '../../store/playback/share.ts'
import { Menu, MenuItem, MenuLink } from '../forms/menu.tsx'
import { Icon } from '../icon.tsx'
import { enqueue } from '../queue/queue-actions.ts'
import { podcastHref } from './podcast-item.tsx'

interface EpisodeMenuProps {
  readonly episode: Playable
  /** Whether the menu is on the page of the podcast, and needs no link to it. */
  readonly isOfPage?: boolean
  readonly isPlayed?: boolean
  /** Marks the episode as played or unplayed; `undefined` if its state is unknown. Never rejects. */
  readonly onMark?: (isPlayed: boolean) => unknown
  /** Marks the episode and all older ones of the podcast as played; omitted if not possible. Never rejects. */
  readonly onMarkOlder?: (() => unknown) | undefined
  readonly children?: ComponentChildren
}

/** Menu of further actions on a listed episode. */
export function EpisodeMenu(props: EpisodeMenuProps) {
  const { episode, isOfPage = false, isPlayed = false, onMark, onMarkOlder, children } = props
  const { title, podcast, url } = episode
  return (
    <Menu
      class="button button-quiet button-icon more"
      name={t('common.pair', { what: t('episodes.more'), value: title })}
      content={<Icon name="more" />}
    >
      {() => (
        <>
          <MenuItem icon="next" onClick={() => enqueue(episode, 'next')}>
            {t('queue.playNext')}
          </MenuItem>
          <MenuItem icon="queue" onClick={() => enqueue(episode, 'last')}>
            {t('queue.playLast')}
          </MenuItem>
          {children}
          {onMark && (
            <MenuItem icon={isPlayed ? 'unplayed' : 'played'} onClick={() => onMark(!isPlayed)}>
              {isPlayed ? t('episodes.markNew') : t('episodes.markPlayed')}
            </MenuItem>
          )}
          {onMarkOlder && (
            <MenuItem icon="check" onClick={onMarkOlder}>
              {t('episodes.markOlder')}
            </MenuItem>
          )}
          <MenuItem icon="share" onClick={() => shareLink(title, href('/episode', { podcast, url }))}>
            {t('player.share')}
          </MenuItem>
          {!isOfPage && (
            <MenuLink icon="forward" href={podcastHref(podcast)}>
              {t('podcast.toPodcast')}
            </MenuLink>
          )}
        </>
      )}
    </Menu>
  )
}
