import { firstPlayed, playable } from './mapped-feed.ts'
import { attributeOf, childrenOf, type XmlNode } from './xml-tree.ts'

/** A media file, as an item names it. */
export interface Media {
  readonly url: string
  readonly type: string
  readonly size: string
}

/** Of an item. Most have one sound file and nothing else. */
export function mediaOf(item: XmlNode): Media | undefined {
  const enclosures = childrenOf(item, 'enclosure').map((node) => ({
    url: attributeOf(node, 'url'),
    type: attributeOf(node, 'type'),
    size: attributeOf(node, 'length'),
  }))
  const all = [...enclosures, ...childrenOf(item, 'enc:enclosure').map(rdfMediaOf)]
  return firstPlayed(all) ?? playable([...all, ...otherMediaOf(item)])
}

/** Of the enclosure module of RSS 1.0, whose attributes have prefixes, or none. */
function rdfMediaOf(node: XmlNode): Media {
  const names = Object.keys(node).map((key) => key.slice(1))
  const of = (wanted: string) => attributeOf(node, names.find((name) => name.split(':').at(-1) === wanted) ?? '')
  return { url: of('resource') || of('url'), type: of('type'), size: of('length') }
}

function otherMediaOf(item: XmlNode): Media[] {
  const links = childrenOf(item, 'link', 'atom:link')
    .filter((node) => attributeOf(node, 'rel') === 'enclosure')
    .map((node) => ({
      url: attributeOf(node, 'href'),
      type: attributeOf(node, 'type'),
      size: attributeOf(node, 'length'),
    }))
  const contents = [
    ...childrenOf(item, 'media:content'),
    ...childrenOf(item, 'media:group').flatMap((group) => childrenOf(group, 'media:content')),
  ]
    .filter((node) => /^(audio|video)/.test(attributeOf(node, 'type') || attributeOf(node, 'medium')))
    .map((node) => ({
      url: attributeOf(node, 'url'),
      type: attributeOf(node, 'type'),
      size: attributeOf(node, 'filesize'),
    }))
  return [...links, ...contents]
}
