import { describe } from 'bun:test'
import { describeAudit } from './audit.ts'
import { describeCatalogue } from './catalogue.ts'
import { describeDevices } from './devices.ts'
import { describeEpisodeActions } from './episode-actions.ts'
import { describeExpiry } from './expiry.ts'
import { describeFeedHealth } from './feed-health.ts'
import { describeFeeds } from './feeds.ts'
import type { OpenStore } from './fixtures.ts'
import { describeIdentities } from './identities.ts'
import { describeMails } from './mails.ts'
import { describeOwnAccount } from './own-account.ts'
import { describePodcasts } from './podcasts.ts'
import { describeSessions } from './sessions.ts'
import { describeSettings } from './settings.ts'
import { describeSubscriptions } from './subscriptions.ts'
import { describeSyncGroups } from './sync-groups.ts'
import { describeTokens } from './tokens.ts'
import { describeUsers } from './users.ts'

/** What every engine must do, in terms of `Store` alone. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`the store on ${name}`, () => {
    describeUsers(open)
    describeOwnAccount(open)
    describeSessions(open)
    describeTokens(open)
    describeMails(open)
    describeIdentities(open)
    describeAudit(open)
    describeExpiry(open)
    describeDevices(open)
    describeSyncGroups(open)
    describeSubscriptions(open)
    describeEpisodeActions(open)
    describeSettings(open)
    describeFeeds(open)
    describeFeedHealth(open)
    describePodcasts(open)
    describeCatalogue(open)
  })
}
