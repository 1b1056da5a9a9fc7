import { describe } from 'bun:test'
import { describeAppPasswords } from './accounts/app-passwords.ts'
import { describeAudit } from './accounts/audit.ts'
import { describeExpiry } from './accounts/expiry.ts'
import { describeIdentities } from './accounts/identities.ts'
import { describeMails } from './accounts/mails.ts'
import { describeOwnAccount } from './accounts/own-account.ts'
import { describeSecondFactors } from './accounts/second-factors.ts'
import { describeSessions } from './accounts/sessions.ts'
import { describeTokens } from './accounts/tokens.ts'
import { describeUsers } from './accounts/users.ts'
import { describeMyEpisodes } from './directory/my-episodes.ts'
import { describeOwnSearch } from './directory/own-search.ts'
import { describePodcastLists } from './directory/podcast-lists.ts'
import { describePodcasts } from './directory/podcasts.ts'
import { describeFeedHealth } from './feeds/feed-health.ts'
import { describeFeeds } from './feeds/feeds.ts'
import type { OpenStore } from './fixtures.ts'
import { describeAddressRelations } from './sync/address-relations.ts'
import { describeAddresses } from './sync/addresses.ts'
import { describeChapters } from './sync/chapters.ts'
import { describeDevices } from './sync/devices.ts'
import { describeEpisodeActions } from './sync/episode-actions.ts'
import { describeJoinedEpisodes } from './sync/joined-episodes.ts'
import { describeSettings } from './sync/settings.ts'
import { describeSubscriptions } from './sync/subscriptions.ts'
import { describeSyncGroups } from './sync/sync-groups.ts'

/** The contract of every engine, in terms of `Store` alone. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`the store on ${name}`, () => {
    describeUsers(open)
    describeOwnAccount(open)
    describeSecondFactors(open)
    describeSessions(open)
    describeAppPasswords(open)
    describeTokens(open)
    describeMails(open)
    describeIdentities(open)
    describeAudit(open)
    describeExpiry(open)
    describeDevices(open)
    describeSyncGroups(open)
    describeSubscriptions(open)
    describeAddresses(open)
    describeAddressRelations(open)
    describeEpisodeActions(open)
    describeJoinedEpisodes(open)
    describeSettings(open)
    describeChapters(open)
    describeFeeds(open)
    describeFeedHealth(open)
    describePodcasts(open)
    describeMyEpisodes(open)
    describeOwnSearch(open)
    describePodcastLists(open)
  })
}
