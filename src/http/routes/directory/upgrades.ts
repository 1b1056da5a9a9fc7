import { Elysia, t } from 'elysia'
import type { Upgrades } from '../../../domain/directory/upgrades.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import { ErrorModel, protectedErrors, QUOTA_REMARK, Timestamp } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const UpgradeItem = objectSchema({
  http_url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
  https_url: t.String({ description: 'The same feed, known to be there by https.' }),
  title: t.String(),
})

const Pair = objectSchema({ http_url: t.String(), https_url: t.String() })

const Applied = objectSchema(
  {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: 'The devices that had the http URL.' }),
    timestamp: Timestamp,
  },
  { description: 'The devices have the https URL now, and the http URL no longer.' },
)

const example = {
  http_url: 'http://feeds.tidewater.example/harbour.xml',
  https_url: 'https://feeds.tidewater.example/harbour.xml',
}

const MoveItem = objectSchema({
  url: t.String({ description: 'A feed URL that a device is subscribed to.' }),
  new_url: t.String({ description: 'Where the feed is for good, as it says itself or its server does.' }),
  title: t.String(),
})

const Move = objectSchema({ url: t.String(), new_url: t.String() })

const Moved = objectSchema(
  {
    status: t.Literal('ok'),
    devices: t.Array(t.String(), { description: 'The devices that had the old URL.' }),
    timestamp: Timestamp,
  },
  { description: 'The devices have the new URL now, and the old one no longer.' },
)

const exampleMove = {
  url: 'https://feeds.tidewater.example/lookout.xml',
  new_url: 'https://lookout.example/feed',
}

const EXCHANGED =
  'On every device that has it, and in their sync groups, in one step. What is known of the podcast and what was heard of it go along.'

/** docs/protocol.md#D73, D74; and the same for feeds that have moved elsewhere. */
export function upgradeRoutes(upgrades: Upgrades, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/me/upgrades',
      async ({ principal: { user } }) =>
        (await upgrades.list(user.id)).map(({ httpUrl, httpsUrl, title }) => ({
          http_url: httpUrl,
          https_url: httpsUrl,
          title,
        })),
      {
        auth: 'user',
        response: {
          200: t.Array(UpgradeItem, { description: 'By title; each feed once, however many devices have it.' }),
          ...protectedErrors,
        },
        detail: operation(
          'Subscriptions',
          '/api/2/me/upgrades',
          'listUpgrades',
          'List feeds that can be had by https',
          {
            description: 'Nothing is changed unless somebody asks for it.',
            'x-response': json([{ ...example, title: 'Harbour Talk' }]),
          },
        ),
      },
    )
    .post(
      '/api/2/me/upgrades',
      async ({ principal: { user }, body: { http_url, https_url } }) => {
        const applied = await upgrades.apply(user.id, { httpUrl: http_url, httpsUrl: https_url })
        return { status: 'ok' as const, ...applied }
      },
      {
        auth: 'user',
        parse: [authFirst(authGuard, 'user', readJson)],
        body: Pair,
        response: { 200: Applied, 404: ErrorModel, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation(
          'Subscriptions',
          '/api/2/me/upgrades',
          'applyUpgrade',
          'Exchange an http feed for its https one',
          {
            description: EXCHANGED,
            'x-request': json(example),
            'x-response': json({ status: 'ok', devices: ['ida-pixel', 'ida-desk'], timestamp: 1_740_909_800 }),
            'x-refusals': {
              409: QUOTA_REMARK,
              400: {
                description: 'The pair is none of those listed.',
                error: 'validation_failed',
                message: 'this upgrade is not offered',
                field: 'https_url',
              },
              404: {
                description: 'No device has the feed.',
                error: 'unknown_podcast',
                message: 'no device has this feed',
              },
            },
          },
        ),
      },
    )
    .get(
      '/api/2/me/moves',
      async ({ principal: { user } }) =>
        (await upgrades.moves(user.id)).map(({ url, newUrl, title }) => ({ url, new_url: newUrl, title })),
      {
        auth: 'user',
        response: {
          200: t.Array(MoveItem, { description: 'By title; each feed once, however many devices have it.' }),
          ...protectedErrors,
        },
        detail: operation('Subscriptions', '/api/2/me/moves', 'listMoves', 'List feeds that have moved for good', {
          description:
            'Nothing is changed unless somebody asks for it. Addresses that differ in https alone are upgrades.',
          'x-response': json([{ ...exampleMove, title: 'The Lookout' }]),
        }),
      },
    )
    .post(
      '/api/2/me/moves',
      async ({ principal: { user }, body: { url, new_url } }) => {
        const applied = await upgrades.applyMove(user.id, { url, newUrl: new_url })
        return { status: 'ok' as const, ...applied }
      },
      {
        auth: 'user',
        parse: [authFirst(authGuard, 'user', readJson)],
        body: Move,
        response: { 200: Moved, 404: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', '/api/2/me/moves', 'applyMove', 'Follow a feed to its new address', {
          description: EXCHANGED,
          'x-request': json(exampleMove),
          'x-response': json({ status: 'ok', devices: ['ida-pixel', 'ida-desk'], timestamp: 1_740_909_800 }),
          'x-refusals': {
            409: QUOTA_REMARK,
            400: {
              description: 'The pair is none of those listed.',
              error: 'validation_failed',
              message: 'this address is not offered',
              field: 'new_url',
            },
            404: {
              description: 'No device has the feed.',
              error: 'unknown_podcast',
              message: 'no device has this feed',
            },
          },
        }),
      },
    )
}
