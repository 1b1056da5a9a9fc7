import type { DeviceType } from '../../domain/sync/ports/devices.ts'
import { isTooLongForName } from '../texts.ts'
import { addressAt, nameAt, textAt, titleAt, urlOf } from './read-items.ts'

/* Readers of the items in lists of the gpodder.net API; `undefined` for an unusable item. */

const TYPES: ReadonlySet<string> = new Set<DeviceType>(['mobile', 'laptop', 'desktop', 'server', 'other'])

export interface RemoteDevice {
  readonly id: string
  readonly caption: string | undefined
  readonly type: DeviceType | undefined
}

export function readDevice(item: unknown): RemoteDevice | undefined {
  const id = nameAt(item, 'id')
  const type = textAt(item, 'type')
  return id === undefined
    ? undefined
    : { id, caption: titleAt(item, 'caption'), type: type === 'tablet' ? 'mobile' : isType(type) ? type : undefined }
}

export function readFeed(item: unknown) {
  const url = urlOf(item)
  return url === undefined ? undefined : { url, title: titleAt(item, 'title') }
}

export function readGroup(item: unknown): readonly string[] | undefined {
  if (!Array.isArray(item)) return undefined
  return item.filter((id): id is string => typeof id === 'string' && !isTooLongForName(id))
}

export function readFavorite(item: unknown) {
  const [podcast, episode] = [addressAt(item, 'podcast_url'), addressAt(item, 'url')]
  return podcast === undefined || episode === undefined ? undefined : { podcast, episode }
}

export function readListName(item: unknown) {
  const name = nameAt(item, 'name')
  return name === undefined ? undefined : { name, title: titleAt(item, 'title') || name }
}

function isType(text: string | undefined): text is DeviceType {
  return text !== undefined && TYPES.has(text)
}
