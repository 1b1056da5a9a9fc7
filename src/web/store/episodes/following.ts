import { signal } from '@preact/signals'
import type { Playable } from '../playback/playable.ts'
import { onUserChange } from '../resource.ts'

/** Episodes of a list that are remembered to be played after the one that was started there. */
const FOLLOWING_MAX = 100

/** Unplayed episodes that come after the one in the player in the list that it was started from. */
export const following = signal<readonly Playable[]>([])

onUserChange(() => {
  following.value = []
})

/** Those of a list, in its order, that come after an episode and were not played. */
export function followersOf(list: readonly Playable[], url: string): readonly Playable[] {
  const index = list.findIndex((each) => each.url === url)
  if (index === -1) return []
  return list
    .slice(index + 1)
    .filter(({ isPlayed }) => isPlayed !== true)
    .slice(0, FOLLOWING_MAX)
}
