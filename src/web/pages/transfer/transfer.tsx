import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Page, TitledSection } from '../../components/layout/page.tsx'
import { setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { accountImports, isRunning, loadImports } from '../../store/importing/account-imports.ts'
import { ensureDevices } from '../../store/subscriptions.ts'
import { FileImport, ImportReport } from './account-import.tsx'
import { ExportLists } from './exports.tsx'
import { Preview } from './preview.tsx'
import type { Source } from './report.ts'
import { type Chosen, Sources } from './sources.tsx'

/** Moving in from other apps and servers, and out again. */
export default function Transfer() {
  return (
    <Page title={t('transfer.title')} lead={t('transfer.lead')}>
      <div class="transfer stack">
        <Import />
        <ExportLists />
      </div>
    </Page>
  )
}

/** Choosing where from, what would come, and the import: three steps in the same place. */
function Import() {
  const chosen = useSignal<Chosen | undefined>(undefined)
  // Kept while an import runs: after a typing error only the password has to be given again.
  const typed = { source: useSignal<Source>('opml'), from: useSignal(''), username: useSignal('') }
  useQuery(() => Promise.all([ensureDevices(), loadImports()]))
  useHints(['import'], () => loadImports().catch(() => undefined))
  const latest = accountImports.value?.[0]
  const state = latest && `${latest.id} ${latest.state}`
  /** Data of the page; undefined while it loads. */
  const found = useRef<{ readonly state: string | undefined } | undefined>(undefined)
  if (accountImports.value) found.current ??= { state }

  function forget(): void {
    chosen.value = undefined
  }

  function step() {
    if (!chosen.value) return <Sources {...typed} onChoose={setter(chosen)} />
    const { file, kind } = chosen.value
    if (kind === 'list') return <Preview file={file} onForget={forget} />
    return <FileImport file={file} kind={kind} onForget={forget} />
  }

  return (
    <TitledSection title={t('transfer.import')}>
      {latest && <ImportReport key={latest.id} report={latest} isNews={state !== found.current?.state} />}
      {!isRunning(latest) && step()}
    </TitledSection>
  )
}
