import { useSignal } from '@preact/signals'
import { Button } from '../../components/forms/button.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { type Folder, folders, removeFolder, renameFolder } from '../../store/sync/folders.ts'
import { chosenFolder, folder } from './view.ts'

/** Filters by folder, and lets the user rename and remove folders. Renders nothing without folders. */
export function FolderChoice() {
  const isEditing = useSignal(false)
  const list = folders.value ?? []
  if (list.length === 0) return null
  const choices = [{ id: '', name: t('folders.all') }, ...list.map(({ id, name }) => ({ id: String(id), name }))]
  return (
    <div class="row">
      <ButtonChoice
        class="chips"
        label={t('folders.title')}
        value={chosenFolder.value === undefined ? '' : String(chosenFolder.value.id)}
        options={choices.map(({ id, name }) => ({
          value: id,
          title: name,
          label: (
            <span class="cut" dir="auto">
              {name}
            </span>
          ),
        }))}
        onChoose={setter(folder)}
      />
      <Button kind="quiet" icon="edit" label={t('folders.edit')} onClick={setTo(isEditing, true)} />
      {isEditing.value && <EditFolders list={list} onClose={setTo(isEditing, false)} />}
    </div>
  )
}

function EditFolders({ list, onClose }: { readonly list: readonly Folder[]; readonly onClose: () => void }) {
  const names = useSignal<ReadonlyMap<number, string>>(new Map())
  const removed = useSignal<ReadonlySet<number>>(new Set())

  async function save(): Promise<void> {
    for (const id of removed.value) await removeFolder(id)
    for (const { id, name } of list) {
      const newName = names.value.get(id) ?? name
      if (!removed.value.has(id) && newName.trim() !== name) await renameFolder(id, newName)
    }
  }

  return (
    <FormDialog title={t('folders.edit')} submit={t('common.save')} onSubmit={save} onClose={onClose}>
      <p class="muted">{t('folders.editLead')}</p>
      {list
        .filter(({ id }) => !removed.value.has(id))
        .map(({ id, name }) => (
          <FolderRow
            key={id}
            name={name}
            onRename={(newName) => {
              names.value = new Map([...names.value, [id, newName]])
            }}
            onRemove={() => {
              removed.value = new Set([...removed.value, id])
            }}
          />
        ))}
    </FormDialog>
  )
}

interface FolderRowProps {
  readonly name: string
  readonly onRename: (name: string) => void
  readonly onRemove: () => void
}

function FolderRow({ name, onRename, onRemove }: FolderRowProps) {
  const text = useSignal(name)
  return (
    <div class="row-apart">
      <TextField
        label={t('folders.name')}
        value={text}
        maxLength={100}
        autoComplete="off"
        isProse
        required
        onInput={() => onRename(text.value)}
      />
      <Button kind="quiet" icon="trash" label={t('folders.remove', { name })} onClick={onRemove} />
    </div>
  )
}
