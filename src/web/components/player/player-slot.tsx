import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { following } from '../../store/episodes/following.ts'
import { BASE } from '../../store/paths.ts'
import { keepDock, restoreDock } from '../../store/playback/dock.ts'
import { hearProgress, type Progress } from '../../store/playback/now-playing.ts'
import { hasReports, onPlayerNeeded, player } from '../../store/player.ts'
import { ownName } from '../../store/session.ts'

/** Loaded with the other pages: it is too small for a file of its own. */
const load = () => import('../../pages/rest.ts')

onPlayerNeeded(async () => (await load()).browserEngine)

/** The place of the player on all pages. Its code is loaded when something is played for the first time. */
export function PlayerSlot() {
  const [Content, setContent] = useState<ComponentType | undefined>(undefined)
  const isNeeded = player.playing.value !== undefined
  useEffect(() => {
    // Whichever tab plays, all of them show how far it is.
    const channel = new BroadcastChannel(`podstep.progress${BASE}`)
    channel.onmessage = ({ data }) => hearProgress(data as Progress)
    return () => channel.close()
  }, [])
  useEffect(() => {
    restoreDock({ ...player, following }, ownName(), sessionStorage)
    return keepDock({ ...player, following }, ownName(), sessionStorage)
  }, [])
  useEffect(() => {
    // Sends what was reported before the page was left, or while there was no server.
    if (hasReports(ownName())) void load().catch(() => undefined)
  }, [])
  useEffect(() => {
    if (!isNeeded || Content) return
    void load().then(
      ({ Player }) => setContent(() => Player),
      // Loading the engine has failed as well, which is told there.
      () => undefined,
    )
  }, [isNeeded])
  return isNeeded && Content ? <Content /> : null
}
