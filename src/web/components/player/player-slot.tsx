import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { following } from '../../store/episodes/following.ts'
import { BASE } from '../../store/paths.ts'
import { restoreDock, storeDock } from '../../store/playback/dock.ts'
import { handleProgress, type Progress } from '../../store/playback/now-playing.ts'
import { hasReports, onPlayerNeeded, player } from '../../store/player.ts'
import { ownName } from '../../store/session.ts'

/** The player shares a chunk with other pages because it is too small for its own. */
const load = () => import('../../pages/rest.ts')

onPlayerNeeded(async () => (await load()).browserEngine)

/** Place of the player on all pages. Its code is loaded when the first episode is played. */
export function PlayerSlot() {
  const [Content, setContent] = useState<ComponentType | undefined>(undefined)
  const isNeeded = player.playing.value !== undefined
  useEffect(() => {
    // All tabs show the progress of the tab that plays.
    const channel = new BroadcastChannel(`podstep.progress${BASE}`)
    channel.onmessage = ({ data }) => handleProgress(data as Progress)
    return () => channel.close()
  }, [])
  useEffect(() => {
    restoreDock({ ...player, following }, ownName(), sessionStorage)
    return storeDock({ ...player, following }, ownName(), sessionStorage)
  }, [])
  useEffect(() => {
    // Sends reports left from an earlier visit or from while the server was unreachable.
    if (hasReports(ownName())) void load().catch(() => undefined)
  }, [])
  useEffect(() => {
    if (!isNeeded || Content) return
    void load().then(
      ({ Player }) => setContent(() => Player),
      // Loading the engine fails as well, and shows the error.
      () => undefined,
    )
  }, [isNeeded])
  return isNeeded && Content ? <Content /> : null
}
