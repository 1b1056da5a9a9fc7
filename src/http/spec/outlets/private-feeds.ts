import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { objectSchema, parameter } from '../shared/models.ts'

/** Private feeds. Their URLs contain an app password with the scope `feeds` (docs/protocol.md#private-feeds). */

const DESCRIPTION =
  'For apps that cannot sync. The `token` is an app password with the scope `feeds`; the response that creates it contains the complete addresses. The response has `ETag` and `Last-Modified`: a client that sends them back gets 304 while nothing has changed.'

const errors = [
  errorResponse('not_found', 'The token is unknown or revoked, or has another scope.', 'no such resource'),
  errorResponse('rate_limited', 'Too many wrong tokens from this address.', 'too many attempts, try again later'),
]

const RSS_EXAMPLE = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
<channel>
<title>New episodes (ida)</title>
<link>https://pods.example/</link>
<description>A private feed of your podcasts. Anybody who has its address can read it.</description>
<lastBuildDate>Sun, 02 Mar 2025 10:00:00 +0000</lastBuildDate>
<generator>podstep</generator>
<ttl>30</ttl>
<itunes:author>podstep</itunes:author>
<itunes:block>Yes</itunes:block>
<item>
<title>Tidewater: Low tide</title>
<link>https://tidewater.example/low-tide</link>
<description>&lt;p&gt;What the sea leaves behind.&lt;/p&gt;</description>
<enclosure url="https://cdn.tidewater.example/low-tide.mp3" length="28800000" type="audio/mpeg"/>
<guid isPermaLink="false">5f1d3a7be2c94f60a1b8c7d6e5f40312</guid>
<pubDate>Sun, 02 Mar 2025 09:00:00 +0000</pubDate>
<itunes:duration>1800</itunes:duration>
<itunes:image href="https://tidewater.example/cover.jpg"/>
<source url="https://feeds.tidewater.example/harbour.xml">Tidewater</source>
</item>
</channel>
</rss>
`

const feed = (id: string, summary: string, description: string) =>
  endpoint('Outlets', id, summary, {
    description: `${description} ${DESCRIPTION}`,
    response: t.String({ description: 'RSS 2.0, 200 episodes at most.' }),
    formats: { 'application/rss+xml': { example: RSS_EXAMPLE } },
    errors,
  })

export const getNewEpisodesFeed = feed(
  'getNewEpisodesFeed',
  'New episodes as a feed',
  'New episodes of all podcasts that any device is subscribed to.',
)

export const getInProgressFeed = feed(
  'getInProgressFeed',
  'Episodes in progress as a feed',
  'Episodes in progress, most recently played first.',
)

export const getQueueFeed = feed('getQueueFeed', 'The queue as a feed', 'The queue, next episode first.')

export const getTagFeed = feed(
  'getTagFeed',
  'New episodes of a tag as a feed',
  'New episodes of podcasts whose feeds name the tag; empty for an unknown tag.',
)

export const getFolderFeed = feed(
  'getFolderFeed',
  'New episodes in a folder as a feed',
  'New episodes of the podcasts in the folder with this ID.',
)

export const getPrivateSubscriptions = endpoint('Outlets', 'getPrivateSubscriptions', 'Subscriptions as OPML', {
  description: `The current subscriptions of all devices, or of one. ${DESCRIPTION} A list of more than 2,000 podcasts has neither.`,
  query: objectSchema({ device: parameter('ID of a device; by default, all devices.', 'ida-pixel') }),
  response: t.String({ description: 'The list as OPML 2.0.' }),
  formats: {
    'text/xml': {
      example: `<?xml version="1.0" encoding="utf-8"?>
<opml version="2.0">
  <head>
    <title>Subscriptions of ida</title>
    <dateCreated>Sun, 02 Mar 2025 10:00:00 +0000</dateCreated>
  </head>
  <body>
    <outline type="rss" xmlUrl="https://feeds.tidewater.example/harbour.xml" title="Tidewater" text="Tidewater" description="" htmlUrl=""/>
  </body>
</opml>
`,
    },
  },
  errors: ['validation_failed', ...errors],
})
