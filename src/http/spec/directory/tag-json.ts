import { t } from 'elysia'
import type { Tag } from '../../../domain/directory/ports.ts'
import { objectSchema } from '../shared/schema.ts'

/** docs/protocol.md#directory. */
export const TagModel = objectSchema({
  title: t.String({ description: 'For people.' }),
  tag: t.String({ description: 'For paths.' }),
  usage: t.Integer({ description: 'Podcasts that carry it.' }),
})

export function toTagJson({ title, slug, usage }: Tag): typeof TagModel.static {
  return { title, tag: slug, usage }
}
