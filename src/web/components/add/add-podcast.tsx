import { useRef } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Dialog } from '../forms/dialog.tsx'
import { AddForm } from './add-form.tsx'

/** Dialog that adds a podcast by a link of any kind or by name. */
export function AddPodcast({ onClose }: { readonly onClose: () => void }) {
  const content = useRef<HTMLDivElement>(null)
  return (
    <Dialog title={t('add.title')} onClose={onClose}>
      <div ref={content}>
        <AddForm onAdded={() => content.current?.closest('dialog')?.close()} />
      </div>
    </Dialog>
  )
}
