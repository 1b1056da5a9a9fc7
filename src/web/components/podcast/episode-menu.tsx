import { t } from '../../locales/index.ts'
import { Menu, MenuItem, MenuLink } from '../forms/menu.tsx'
import { Icon } from '../icon.tsx'
import { podcastHref } from './podcast-item.tsx'

interface EpisodeMenuProps {
  /** Title of the episode. */
  readonly title: string
  /** The feed URL, unless the page is about this podcast. */
  readonly podcast?: string
  readonly isPlayed: boolean
  /** Marks the episode as played or as unplayed. Never rejects. */
  readonly onMark: (isPlayed: boolean) => unknown
  /** Marks it and everything older of its podcast as played; undefined where that is not possible. Never rejects. */
  readonly onMarkOlder?: (() => unknown) | undefined
}

/** What else can be done with an episode of a list. */
export function EpisodeMenu({ title, podcast, isPlayed, onMark, onMarkOlder }: EpisodeMenuProps) {
  return (
    <Menu
      class="button button-quiet button-icon more"
      name={t('common.pair', { what: t('episodes.more'), value: title })}
      content={<Icon name="more" />}
    >
      {() => (
        <>
          <MenuItem icon={isPlayed ? 'unplayed' : 'played'} onClick={() => onMark(!isPlayed)}>
            {isPlayed ? t('episodes.markNew') : t('episodes.markPlayed')}
          </MenuItem>
          {onMarkOlder && (
            <MenuItem icon="check" onClick={onMarkOlder}>
              {t('episodes.markOlder')}
            </MenuItem>
          )}
          {podcast !== undefined && (
            <MenuLink icon="forward" href={podcastHref(podcast)}>
              {t('podcast.toPodcast')}
            </MenuLink>
          )}
        </>
      )}
    </Menu>
  )
}
