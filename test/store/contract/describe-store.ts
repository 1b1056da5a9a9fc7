import { describe } from 'bun:test'
import { describeDevices } from './devices.ts'
import { describeEpisodeActions } from './episode-actions.ts'
import type { OpenStore } from './fixtures.ts'
import { describeSessions } from './sessions.ts'
import { describeSubscriptions } from './subscriptions.ts'
import { describeSyncGroups } from './sync-groups.ts'
import { describeUsers } from './users.ts'

/** What every engine must do, in terms of `Store` alone. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`the store on ${name}`, () => {
    describeUsers(open)
    describeSessions(open)
    describeDevices(open)
    describeSyncGroups(open)
    describeSubscriptions(open)
    describeEpisodeActions(open)
  })
}
