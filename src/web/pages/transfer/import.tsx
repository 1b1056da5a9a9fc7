import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { importJob } from '../../state/imports.ts'
import { knowSubscriptions } from '../../state/subscriptions.ts'
import { t } from '../../text/index.ts'
import { DropZone } from './drop-zone.tsx'
import { Preview } from './preview.tsx'
import { Progress } from './progress.tsx'
import type { List } from './read-list.ts'
import './watch-import.ts'

export interface ChosenFile extends List {
  readonly name: string
}

/** A file is chosen, looked at, and brought in: three steps in the same place. */
export function Import() {
  const file = useSignal<ChosenFile | undefined>(undefined)
  const id = useId()
  useEffect(() => {
    knowSubscriptions().catch(() => undefined)
  }, [])

  /** Devices and what they have are needed to tell what is new. Without them everything is taken for new; adding twice does no harm. */
  async function look(read: ChosenFile): Promise<void> {
    await knowSubscriptions().catch(() => undefined)
    file.value = read
  }

  function forget(): void {
    file.value = undefined
  }

  return (
    <section class="stack" aria-labelledby={id}>
      <h2 id={id}>{t().transfer.import}</h2>
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
