import { invalid } from '../../../domain/shared/errors.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import type { Import, ServerRequest } from '../../../domain/transfer/ports.ts'
import { COUNTED_KINDS, type TargetDevice } from '../../../domain/transfer/records.ts'
import { del, get, post, type Route } from '../../endpoint.ts'
import { parseId } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import { OK } from '../../spec/shared/models.ts'
import * as spec from '../../spec/transfer/imports.ts'
import { fileOf } from '../../upload/import-body.ts'

export const importRoutes = ({ imports }: RouteParts): Route[] => [
  post('/api/2/me/import', 'owner', spec.startImport, async ({ principal: { user }, body, query }) => {
    const file = fileOf(body)
    try {
      const id = file
        ? await imports.importFile(user.id, file, targetOf(query))
        : await imports.importServer(user.id, serverOf(body))
      return Response.json({ id }, { status: 202 })
    } finally {
      await file?.close()
    }
  }),
  post('/api/2/me/import-preview', 'owner', spec.previewImport, async ({ principal: { user }, body, query }) => {
    const file = fileOf(body)
    if (!file) throw invalid('file', 'a file must be sent')
    try {
      const { hasMore, isDamaged, podcasts, folders, ...preview } = await imports.previewFile(
        user.id,
        file,
        query.device || undefined,
      )
      return { ...preview, podcasts: [...podcasts], folders: [...folders], has_more: hasMore, damaged: isDamaged }
    } finally {
      await file.close()
    }
  }),
  get('/api/2/me/import', 'owner', spec.listImports, async ({ principal: { user } }) =>
    (await imports.list(user.id)).map(toImportJson),
  ),
  get('/api/2/me/import/:id', 'owner', spec.getImport, async ({ principal: { user }, params }) =>
    toImportJson(await imports.get(user.id, parseId(params.id))),
  ),
  del('/api/2/me/import/:id', 'owner', spec.removeImport, async ({ principal: { user }, params }) => {
    await imports.remove(user.id, parseId(params.id))
    return OK
  }),
]

function targetOf({ device, caption }: { device?: string; caption?: string }): TargetDevice | undefined {
  return device ? { id: device, ...(caption && { caption }) } : undefined
}

function serverOf({ from, username, password, kind }: Partial<ServerRequest>): ServerRequest {
  const needed = (name: string, value: string | undefined) => {
    if (value === undefined || value === '') throw invalid(name, `${name} must be given, or a file be sent instead`)
    return value
  }
  return {
    from: needed('from', from),
    username: needed('username', username),
    password: needed('password', password),
    kind,
  }
}

function toImportJson({ id, source, label, state, error, startedAt, endedAt, report }: Import) {
  const { counts, skipped, done, total = null } = report
  return {
    ...{ id, source: report.source ?? source, name: label, state, error },
    started: formatTimestamp(startedAt),
    ended: timestampOrEmpty(endedAt),
    ...{ done, total },
    counts: COUNTED_KINDS.flatMap((what) => (counts[what] ? [{ what, ...counts[what] }] : [])),
    skipped: skipped.map((items) => ({ ...items, examples: [...items.examples] })),
  }
}
