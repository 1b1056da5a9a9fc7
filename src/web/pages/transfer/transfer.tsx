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

/** The page for imports from other apps and servers, and for exports. */
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

/** An import in three steps that replace each other: source, preview, and progress. */
function Import() {
  const chosen = useSignal<Chosen | undefined>(undefined)
  // Kept while an import runs, so that after a typing error, only the password must be entered again.
  const typed = { source: useSignal<Source>('opml'), from: useSignal(''), username: useSignal('') }
  useQuery(() => Promise.all([ensureDevices(), loadImports()]))
  useHints(['import'], () => loadImports().catch(() => undefined))
  const latest = accountImports.value?.[0]
  const state = latest && `${latest.id} ${latest.state}`
  /** State of the latest import when the page loaded; undefined until then. */
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
