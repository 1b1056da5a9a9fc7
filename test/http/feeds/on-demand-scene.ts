import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'
import { episodePath, episodesPath, podcastPath } from '../directory/scene.ts'

export const OWN = 'https://feeds.example/own'
export const NEW = 'https://feeds.example/new'
export const SECRET = 'https://feeds.example/f?token=1'
export const FOG = feedEpisode().url

/** Why fetching a feed fails, and the answer to a user (D51). */
export const REASONS: readonly [FeedFailureReason, number, string][] = [
  ['forbidden', 403, 'feed_forbidden'],
  ['not_a_feed', 422, 'feed_invalid'],
  ['unreachable', 502, 'feed_unreachable'],
  ['timeout', 502, 'feed_unreachable'],
  ['tls', 502, 'feed_unreachable'],
  ['too_large', 502, 'feed_unreachable'],
  ['gone', 502, 'feed_unreachable'],
  ['not_found', 502, 'feed_unreachable'],
  ['denied', 502, 'feed_unreachable'],
  ['blocked', 502, 'feed_unreachable'],
  ['refused', 502, 'feed_unreachable'],
  ['server_error', 502, 'feed_unreachable'],
  ['internal', 500, 'internal'],
]

/** Ida subscribes to OWN, which was never fetched; every feed's title is Harbour Talk. */
export async function openOnDemand(
  settings: Record<string, string> = {},
  feeds: readonly string[] = [OWN],
  options: TestAppOptions = {},
) {
  const scene = await openFeedScene(feeds, { ...options, settings: { rate_limit: 'false', ...settings } })
  scene.script.answer = async () => feedOf('', { document: feedDocument() })
  return {
    ...scene,
    anyone: clientOf(scene.app),
    impostor: clientOf(scene.app, basic('ida', 'wrong')),
    urlsAsked: () => scene.asked.map(({ url }) => url),
  }
}

/** Paths of all lookups of a podcast. */
export const lookupsOf = (url: string) => [podcastPath(url), episodesPath(url), episodePath(url, FOG)] as const
