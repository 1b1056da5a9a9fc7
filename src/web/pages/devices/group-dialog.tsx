import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { errorText, Failure, Notice } from '../../parts/notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { groups, loadOwnPodcasts } from '../../state/subscriptions.ts'
import { toast } from '../../state/toasts.ts'
import { fill, t } from '../../text/index.ts'
import { regroup } from './changes.ts'
import { GroupPreview } from './group-preview.tsx'
import { MemberChoices } from './member-choices.tsx'
import { inOrder, listed } from './names.ts'
import { previewOf } from './preview.ts'
import { membersOf, requestsFor, type Wish } from './regroup.ts'

const FRESH = 'new'

interface GroupDialogProps {
  /** What the person has shown to want by the way here. */
  readonly start: Wish
  /** Devices that look for a group: any one will do. */
  readonly seeking?: readonly string[] | undefined
  readonly onClose: () => void
}

/** Who is in a group, and what comes of it, before it is so. */
export function GroupDialog({ start, seeking, onClose }: GroupDialogProps) {
  const texts = t().devices.group
  const previewId = useId()
  const wish = useSignal(start)
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  // Apps change the lists, too: what is promised is looked up now.
  const podcasts = useLoad(loadOwnPodcasts)
  const isDissolving = wish.value.edited.length > 0 && membersOf(wish.value).length === 0
  const hasChanges = requestsFor(groups.value, wish.value).length > 0

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    isBusy.value = true
    failure.value = undefined
    try {
      await regroup(wish.value)
      toast(isDissolving ? texts.dissolved : fill(texts.saved, { devices: listed(wish.value.members) }))
      if (form instanceof Element) form.closest('dialog')?.close()
    } catch (error) {
      failure.value = error instanceof ApiError && error.word === 'unknown_device' ? texts.stale : errorText(error)
    }
    isBusy.value = false
  }

  function preview() {
    if (podcasts.error.value) return <Failure error={podcasts.error.value} onRetry={() => void podcasts.reload()} />
    if (!podcasts.data.value) return <Skeleton height="3rem" count={2} />
    if (!hasChanges) return <p class="muted">{membersOf(wish.value).length === 0 ? texts.tooFew : texts.same}</p>
    return <GroupPreview preview={previewOf(podcasts.data.value, groups.value, wish.value)} />
  }

  return (
    <Dialog title={wish.value.edited.length === 0 ? texts.newTitle : texts.changeTitle} onClose={onClose}>
      <form class="stack group-form" onSubmit={(event) => void save(event)}>
        {seeking && groups.value.length > 0 && <GroupChoice wish={wish.value} seeking={seeking} onChoose={choose} />}
        <MemberChoices wish={wish.value} onChoose={choose} />
        <section class="preview" aria-labelledby={previewId}>
          <h3 id={previewId}>{texts.preview}</h3>
          <div aria-live="polite">{preview()}</div>
        </section>
        {failure.value && (
          <Notice kind="error">
            <p>{failure.value}</p>
          </Notice>
        )}
        <DialogActions>
          <Button kind="quiet" onClick={closeDialog}>
            {t().common.cancel}
          </Button>
          <Button
            type="submit"
            kind={isDissolving ? 'danger' : 'main'}
            isBusy={isBusy.value}
            disabled={!(hasChanges && podcasts.data.value)}
          >
            {isDissolving ? texts.dissolve : texts.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )

  function choose(next: Wish): void {
    wish.value = next
  }
}

interface GroupChoiceProps {
  readonly wish: Wish
  readonly seeking: readonly string[]
  readonly onChoose: (wish: Wish) => void
}

/** A new group, or one that is there already. */
function GroupChoice({ wish, seeking, onChoose }: GroupChoiceProps) {
  const texts = t().devices.group
  const options = groups.value.map((group) => ({ value: group[0] ?? '', label: listed(group) }))
  return (
    <SelectField
      label={texts.which}
      value={wish.edited[0] ?? FRESH}
      options={[{ value: FRESH, label: texts.fresh }, ...options]}
      onChoose={(value) => {
        const edited = groups.value.find(([first]) => value !== FRESH && first === value) ?? []
        onChoose({ edited, members: inOrder([...edited, ...seeking]) })
      }}
    />
  )
}
