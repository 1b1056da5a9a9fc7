import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import {
  assignFolders,
  createFolder,
  ensureFolders,
  type Folder,
  folders,
  isInFolder,
} from '../../store/sync/folders.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'
import { Checkbox } from '../forms/choice.tsx'
import { FormDialog } from '../forms/dialog.tsx'
import { TextField } from '../forms/field.tsx'

interface FolderDialogProps {
  /** Feed URLs. */
  readonly urls: readonly string[]
  readonly onClose: () => void
  readonly onDone?: () => void
}

/** Asks for the folders of podcasts. A folder with only some of the podcasts stays unchanged unless it is toggled. */
export function FolderDialog({ urls, onClose, onDone }: FolderDialogProps) {
  const changed = useSignal<ReadonlyMap<number, boolean>>(new Map())
  const name = useSignal('')
  const list = folders.value ?? []
  const hasAll = (folder: Folder) => urls.every((url) => isInFolder(folder, url))
  useEffect(() => {
    void ensureFolders().catch(() => undefined)
  }, [])

  async function save(): Promise<void> {
    const add = [...changed.value].flatMap(([id, isWanted]) => (isWanted ? [id] : []))
    const remove = [...changed.value].flatMap(([id, isWanted]) => (isWanted ? [] : [id]))
    if (name.value.trim() !== '') add.push(await createFolder(name.value))
    const before = folders.peek() ?? []
    await assignFolders(urls, add, remove)
    // Restores the previous folders of each podcast.
    const undo = async () => {
      for (const folder of before) {
        const were = urls.filter((url) => isInFolder(folder, url))
        const others = urls.filter((url) => !were.includes(url))
        if (add.includes(folder.id)) await assignFolders(others, [], [folder.id])
        if (remove.includes(folder.id)) await assignFolders(were, [folder.id], [])
      }
    }
    toast(t('folders.saved', { n: urls.length }), {
      subject: 'folders',
      action: { label: t('common.undo'), run: () => void attempt(undo, 'folders') },
    })
  }

  return (
    <FormDialog
      title={t('folders.title')}
      submit={t('common.save')}
      isReady={changed.value.size > 0 || name.value.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      {...(onDone && { onDone })}
    >
      {list.length > 0 && (
        <ul class="device-choices">
          {list.map((folder) => (
            <li key={folder.id}>
              <Checkbox
                label={<span dir="auto">{folder.name}</span>}
                checked={changed.value.get(folder.id) ?? hasAll(folder)}
                onChange={(isWanted) => {
                  changed.value = new Map([...changed.value, [folder.id, isWanted]])
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <TextField
        label={t('folders.newName')}
        value={name}
        maxLength={100}
        autoComplete="off"
        isProse
        isOptional={list.length > 0}
      />
    </FormDialog>
  )
}
