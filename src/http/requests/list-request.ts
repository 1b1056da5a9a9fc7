import { t } from 'elysia'
import { invalid } from '../../domain/shared/errors.ts'
import { type ListFormat, parseListFormat, splitSuffix } from '../../formats/negotiate.ts'
import { objectSchema } from '../spec/shared/schema.ts'

export const LIST_PARAMETERS = {
  jsonp: t.Optional(
    t.String({
      description: 'Name of the function around the list; needed with `jsonp`, ignored otherwise.',
      examples: ['show'],
    }),
  ),
  scale_logo: t.Optional(
    t.String({ description: '1 to 256. Checked, but pictures are not scaled.', examples: ['64'] }),
  ),
} as const

/** What may be asked of a list of podcasts. */
export const ListQuery = objectSchema(LIST_PARAMETERS)

/** Without a suffix a list is JSON (docs/protocol.md#D40). Throws `invalid_format`. */
export function listFile(segment: string): { name: string; format: ListFormat } {
  const { name, suffix } = splitSuffix(segment)
  return { name, format: suffix === '' ? 'json' : parseListFormat(suffix) }
}

/** docs/protocol.md#D7: a bad size is refused whatever the format, and before anything else is looked at. */
export function checkScale(raw: string | undefined): void {
  if (raw === undefined) return
  const size = /^\d{1,3}$/.test(raw) ? Number(raw) : 0
  if (size < 1 || size > 256) throw invalid('scale_logo', 'scale_logo must be an integer from 1 to 256')
}
