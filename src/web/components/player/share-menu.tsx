import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { clock } from '../../store/playback/progress.ts'
import { shareLink } from '../../store/playback/share.ts'
import { player } from '../../store/player.ts'
import { Menu, MenuItem } from '../forms/menu.tsx'
import { Icon } from '../icon.tsx'

/** Menu that shares the current episode, from its start or from the current position. */
export function ShareMenu({ episode }: { readonly episode: Playable }) {
  const { title, podcast, url } = episode
  const seconds = Math.floor(player.position.value)
  const share = (from?: number) => shareLink(title, href('/episode', { podcast, url }), from)
  return (
    <Menu class="button button-quiet button-icon more" name={t('player.share')} content={<Icon name="share" />}>
      <MenuItem onClick={() => share()}>{t('player.shareEpisode')}</MenuItem>
      <MenuItem onClick={() => share(seconds)}>{t('player.shareFrom', { position: clock(seconds) })}</MenuItem>
    </Menu>
  )
}
