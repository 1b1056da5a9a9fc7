import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { Page } from '../../components/layout/page.tsx'
import { t } from '../../locales/index.ts'
import { importJob } from '../../store/imports.ts'
import { ensureSubscriptions } from '../../store/subscriptions.ts'
import { DropZone } from './drop-zone.tsx'
import { ExportLists } from './export.tsx'
import { Preview } from './preview.tsx'
import { Progress } from './progress.tsx'
import type { ChosenFile } from './read-list.ts'

/** Import and export of podcast lists. */
export default function Transfer() {
  return (
    <Page title={t('transfer.title')} lead={t('transfer.lead')}>
      <div class="transfer">
        <Import />
        <ExportLists />
      </div>
    </Page>
  )
}

/** Choosing a file, its preview, and the import: three steps in the same place. */
function Import() {
  const file = useSignal<ChosenFile | undefined>(undefined)
  const id = useId()
  useEffect(() => {
    ensureSubscriptions().catch(() => undefined)
  }, [])

  // Subscriptions are needed to tell what is new. If they cannot be loaded everything counts as new, which does no harm.
  async function look(read: ChosenFile): Promise<void> {
    await ensureSubscriptions().catch(() => undefined)
    file.value = read
  }

  function forget(): void {
    file.value = undefined
  }

  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{t('transfer.import')}</h2>
      {importJob.value ? (
        <Progress job={importJob.value} onAgain={forget} />
      ) : file.value ? (
        <Preview file={file.value} onForget={forget} />
      ) : (
        <DropZone onRead={(read) => void look(read)} />
      )}
    </section>
  )
}
