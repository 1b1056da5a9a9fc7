import { signal } from '@preact/signals'
import type { Playable } from '../playback/playable.ts'
import { onUserChange } from '../resource.ts'

/** Maximum number of episodes to remember from a list. */
const FOLLOWING_MAX = 100

/** Unplayed episodes that follow the player's episode in the list it was started from. */
export const following = signal<readonly Playable[]>([])

onUserChange(() => {
  following.value = []
})

/** Returns the unplayed episodes that follow an episode in a list. */
export function followersOf(list: readonly Playable[], url: string): readonly Playable[] {
  const index = list.findIndex((each) => each.url === url)
  if (index === -1) return []
  return list
    .slice(index + 1)
    .filter(({ isPlayed }) => isPlayed !== true)
    .slice(0, FOLLOWING_MAX)
}
