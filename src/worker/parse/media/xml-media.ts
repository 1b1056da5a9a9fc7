import { absoluteUrl } from '../feed-values.ts'
import { attributeOf, baseOf, childrenOf, textAt, textOf, type XmlNode } from '../xml-tree.ts'
import { isPicture, type MediaFile, playedFile } from './media-file.ts'

export interface XmlMedia extends MediaFile {
  readonly size: string
  readonly duration: string
}

export function mediaOf(item: XmlNode, base: string): XmlMedia | undefined {
  const files: XmlMedia[] = []
  // The keys stand in the order of the document, which is that of the apps.
  for (const name of Object.keys(item)) {
    const read = READERS.get(name)
    if (read) for (const node of childrenOf(item, name)) files.push(...withOwnBase(node, read(node), base))
  }
  return playedFile(files)
}

function withOwnBase(node: XmlNode, files: readonly XmlMedia[], base: string): readonly XmlMedia[] {
  if (attributeOf(node, 'xml:base') === '') return files
  return files.map((file) => ({ ...file, url: absoluteUrl(file.url, baseOf(node, base)) }))
}

const READERS: ReadonlyMap<string, (node: XmlNode) => readonly XmlMedia[]> = new Map([
  ['enclosure', (node) => [enclosureOf(node)]],
  ['enc:enclosure', (node) => [rdfMediaOf(node)]],
  ['link', linkedMedia],
  ['atom:link', linkedMedia],
  ['media:content', (node) => [contentOf(node)]],
  ['media:group', (node) => childrenOf(node, 'media:content').map(contentOf)],
])

function enclosureOf(node: XmlNode): XmlMedia {
  return {
    url: attributeOf(node, 'url') || attributeOf(node, 'href') || textAt(node, 'url') || textOf(node),
    type: attributeOf(node, 'type'),
    size: attributeOf(node, 'length'),
    duration: '',
  }
}

function rdfMediaOf(node: XmlNode): XmlMedia {
  const names = Object.keys(node).map((key) => key.slice(1))
  const of = (localName: string) => attributeOf(node, names.find((name) => name.split(':').at(-1) === localName) ?? '')
  return { url: of('resource') || of('url'), type: of('type'), size: of('length'), duration: '' }
}

function linkedMedia(node: XmlNode): XmlMedia[] {
  if (attributeOf(node, 'rel').toLowerCase() !== 'enclosure') return []
  return [
    {
      url: attributeOf(node, 'href'),
      type: attributeOf(node, 'type'),
      size: attributeOf(node, 'length'),
      duration: '',
    },
  ]
}

function contentOf(node: XmlNode): XmlMedia {
  return {
    url: attributeOf(node, 'url'),
    type: attributeOf(node, 'type'),
    medium: attributeOf(node, 'medium'),
    isDefault: attributeOf(node, 'isdefault').toLowerCase() === 'true',
    size: attributeOf(node, 'filesize'),
    duration: attributeOf(node, 'duration'),
  }
}

/** Groups and files of Media RSS; what is said in them is said of the item. Files first, pictures left out. */
export function mediaScopes(node: XmlNode): XmlNode[] {
  const groups = childrenOf(node, 'media:group')
  return [...contentsIn(node, groups).filter((content) => !isPicture(contentOf(content))), ...groups]
}

function contentsIn(node: XmlNode, groups: readonly XmlNode[]): XmlNode[] {
  return [node, ...groups].flatMap((each) => childrenOf(each, 'media:content'))
}

export function picturesOf(node: XmlNode): string[] {
  return [
    ...childrenOf(node, 'itunes:image', 'googleplay:image', 'image').map(pictureUrl),
    ...mediaPictures(node),
    textAt(node, 'logo', 'atom:logo'),
    textAt(node, 'icon', 'atom:icon'),
  ]
}

function mediaPictures(node: XmlNode): string[] {
  const groups = childrenOf(node, 'media:group')
  const contents = contentsIn(node, groups)
  const thumbnails = [node, ...groups, ...contents].flatMap((each) => childrenOf(each, 'media:thumbnail'))
  const pictures = contents.filter((content) => isPicture(contentOf(content)))
  return [thumbnails, pictures].flatMap((nodes) => nodes.toSorted((a, b) => widthOf(b) - widthOf(a)).map(pictureUrl))
}

function widthOf(node: XmlNode): number {
  return Number(/^\d{1,6}/.exec(attributeOf(node, 'width') || attributeOf(node, 'height'))?.[0] ?? 0)
}

function pictureUrl(node: XmlNode): string {
  for (const name of ['href', 'url', 'src', 'rdf:resource']) {
    const url = attributeOf(node, name)
    if (url !== '') return url
  }
  return textAt(node, 'url') || textOf(node)
}
