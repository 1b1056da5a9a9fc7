import { absoluteUrl, languageTag, mediaType } from '../feed-values.ts'
import { attributeOf, childrenOf, type XmlNode } from '../xml-tree.ts'

const READ_MAX = 50

/** Media types in order of preference; any other comes last. */
const FORMATS: readonly RegExp[] = [/vtt$/, /(?:srt|subrip)$/, /json$/, /html?$/, /(?:plain|txt)$/]

interface Transcript {
  readonly transcriptUrl: string
  readonly transcriptType: string
}

/**
 * Chooses the best transcript of an item: in the language of the feed, then by format, then one marked as captions,
 * which has times.
 */
export function transcriptOf(item: XmlNode, base: string, language: string): Transcript {
  const [best] = childrenOf(item, 'podcast:transcript')
    .slice(0, READ_MAX)
    .flatMap((node) => {
      const transcriptUrl = absoluteUrl(attributeOf(node, 'url'), base)
      const transcriptType = mediaType(attributeOf(node, 'type'))
      return transcriptUrl === ''
        ? []
        : [{ transcriptUrl, transcriptType, rank: rankOf(node, { transcriptUrl, transcriptType }, language) }]
    })
    .toSorted((one, other) => one.rank - other.rank)
  const { transcriptUrl = '', transcriptType = '' } = best ?? {}
  return { transcriptUrl, transcriptType }
}

function rankOf(node: XmlNode, { transcriptUrl, transcriptType }: Transcript, language: string): number {
  const own = languageTag(attributeOf(node, 'language'))
  const isOther = own !== '' && language !== '' && primary(own) !== primary(language)
  const name = transcriptType || (URL.parse(transcriptUrl)?.pathname.toLowerCase() ?? '')
  const at = FORMATS.findIndex((format) => format.test(name))
  const format = at < 0 ? FORMATS.length : at
  const isCaptions = attributeOf(node, 'rel').toLowerCase() === 'captions'
  return (isOther ? 100 : 0) + 2 * format + (isCaptions ? 0 : 1)
}

/** `en` of `en-gb`. */
function primary(tag: string): string | undefined {
  return tag.split('-', 1)[0]
}
