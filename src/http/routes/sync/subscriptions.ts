import type { Principal } from '../../../domain/accounts/authentication.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { ListedFeed } from '../../../domain/shared/podcast.ts'
import { parseSince } from '../../../domain/shared/time.ts'
import { readList } from '../../../formats/lists.ts'
import { noteActivity, sizesOf } from '../../activity.ts'
import { type Context, get, post, put, type Route } from '../../endpoint.ts'
import {
  appOf,
  checkScale,
  itemsOf,
  jsonName,
  listFile,
  noteLastSeen,
  privateListFile,
  syncClientOf,
  writingClientOf,
} from '../../requests.ts'
import { jsonResponse, podcastListResponse, podcastsResponse, urlsResponse } from '../../responses/list-response.ts'
import { revalidate } from '../../responses/revalidate.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/subscriptions.ts'

const DELTAS = '/api/2/subscriptions/:username/:device.json'
const DEVICE_LIST = '/subscriptions/:username/:device.:format'

/** The Advanced API with deltas (docs/protocol.md#uploading-changes) and the Simple API with lists (#reading-lists). */
export function subscriptionRoutes({ subscriptions, lastSeen, activity, origins, clock }: RouteParts): Route[] {
  const headOf = (request: Request, { user }: Principal) => ({
    title: `Subscriptions of ${user.username}`,
    now: clock.seconds(),
    base: origins.baseOf(request),
  })

  function noteFetched(principal: Principal, device: string, list: readonly unknown[]): void {
    noteLastSeen(lastSeen, principal, device)
    noteActivity(activity, principal, { kind: 'fetched_list', device, items: list.length })
  }

  type Replacement = Context<typeof DEVICE_LIST, 'self', typeof spec.replaceSubscriptions>
  async function replace({ request, principal, params, body }: Replacement) {
    const { name, format } = listFile(params.device)
    const { count } = await subscriptions.replace(principal.user.id, name, readList(format, body), appOf(request))
    noteLastSeen(lastSeen, principal, name)
    noteActivity(activity, principal, { kind: 'sent_list', device: name, items: count })
    return ''
  }

  return [
    get(DELTAS, 'self', spec.getSubscriptionChanges, async ({ principal, params, query }) => {
      const device = jsonName(params.device)
      const changes = await subscriptions.changesSince(syncClientOf(principal), device, parseSince(query.since))
      noteLastSeen(lastSeen, principal, device)
      noteActivity(activity, principal, {
        kind: 'fetched_changes',
        device,
        ...sizesOf(changes),
      })
      return changes
    }),
    post(DELTAS, 'self', spec.uploadSubscriptionChanges, async ({ request, principal, params, body }) => {
      const change = { add: itemsOf(body.add), remove: itemsOf(body.remove), titled: titledFeeds(body.titles) }
      const device = jsonName(params.device)
      const { timestamp, updateUrls } = await subscriptions.upload(writingClientOf(request, principal), device, change)
      noteLastSeen(lastSeen, principal, device)
      noteActivity(activity, principal, { kind: 'sent_changes', device, ...sizesOf(change) })
      return { timestamp, update_urls: updateUrls }
    }),
    get(
      '/subscriptions/:username.:format',
      'self',
      spec.listUserSubscriptions,
      async ({ request, set, principal, params, query }) => {
        checkScale(query.scale_logo)
        const { format } = privateListFile(params.username)
        const podcasts = await subscriptions.listUser(principal.user.id)
        noteActivity(activity, principal, { kind: 'fetched_list', items: podcasts.length })
        return revalidate(request, set, podcastListResponse(format, podcasts, headOf(request, principal)))
      },
    ),
    get(DEVICE_LIST, 'self', spec.listDeviceSubscriptions, async ({ request, set, principal, params, query }) => {
      checkScale(query.scale_logo)
      const { name, format } = privateListFile(params.device)
      const { id } = principal.user
      if (format === 'json' || format === 'txt') {
        const urls = requireDevice(await subscriptions.listDevice(id, name))
        noteFetched(principal, name, urls)
        return revalidate(request, set, format === 'txt' ? urlsResponse(urls) : jsonResponse(urls))
      }
      const podcasts = requireDevice(await subscriptions.listDevicePodcasts(id, name))
      noteFetched(principal, name, podcasts)
      return revalidate(request, set, podcastsResponse(format, podcasts, headOf(request, principal)))
    }),
    put(DEVICE_LIST, 'self', spec.replaceSubscriptions, replace),
    post(DEVICE_LIST, 'self', spec.postSubscriptions, replace),
  ]
}

/** docs/protocol.md#D38: apps use this to check whether a device exists. */
function requireDevice<T>(list: T | undefined): T {
  if (list === undefined) throw new DomainError('unknown_device', 'unknown device')
  return list
}

function titledFeeds(titles: Readonly<Record<string, string>> | null | undefined): ListedFeed[] {
  return Object.entries(titles ?? {}).map(([url, title]) => ({ url, title }))
}
