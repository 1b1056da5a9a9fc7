import { importsOf } from '../adapters.ts'
import type { FetchNew } from '../domain/sync/ports/subscriptions.ts'
import { createImporter, type ImporterParts } from '../domain/transfer/importer.ts'
import { createImports } from '../domain/transfer/imports.ts'
import type { Base } from './base.ts'

type Target = Pick<
  ImporterParts,
  'devices' | 'syncGroups' | 'settings' | 'chapters' | 'podcastLists' | 'folders' | 'queue'
> & {
  readonly fetchNew: FetchNew
}

export function transferServices(base: Base, target: Target) {
  const { config, store, background, clock, log } = base
  const { devices, syncGroups, settings, chapters, podcastLists, folders, queue, fetchNew } = target
  const importer = createImporter({
    ...{ devices, syncGroups, settings, chapters, podcastLists, folders, queue, fetchNew, clock },
    subscriptions: store.subscriptions,
    episodeActions: store.episodeActions,
    store: store.transfer,
    deviceStore: store.devices,
    dateFavorite: store.settings.dateFavorite,
    listUrls: store.podcastLists.listUrls,
  })
  return {
    imports: createImports({
      store: store.imports,
      importer,
      ...importsOf(config, base),
      ...{ background, clock, log },
      isOff: config.outbound === 'off',
      heldOf: store.subscriptions.heldOf,
    }),
  }
}
