import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { errorText, Failure, Notice } from '../../parts/notice.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useLoad } from '../../state/load.ts'
import { type Device, groups, loadOwnPodcasts } from '../../state/subscriptions.ts'
import { toast } from '../../state/toasts.ts'
import { fill, language, plural, t } from '../../text/index.ts'
import { removeDevice } from './changes.ts'
import { PodcastNames } from './podcast-names.tsx'
import { type Loss, lossOf } from './preview.ts'
import { groupOf } from './regroup.ts'

/** What it means to delete a device, and then doing it. */
export function RemoveDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const texts = t().devices.removal
  const podcasts = useLoad(loadOwnPodcasts)
  const failure = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const { data, error } = podcasts

  async function remove({ currentTarget }: Event): Promise<void> {
    isBusy.value = true
    failure.value = undefined
    try {
      await removeDevice(device.id)
      toast(fill(texts.done, { device: device.caption }))
      if (currentTarget instanceof Element) currentTarget.closest('dialog')?.close()
    } catch (reason) {
      failure.value = reason
    }
    isBusy.value = false
  }

  return (
    <Dialog title={fill(texts.title, { device: device.caption })} onClose={onClose}>
      {error.value ? (
        <Failure error={error.value} onRetry={() => void podcasts.reload()} />
      ) : (
        <div class="stack" aria-live="polite">
          {data.value ? <Meaning loss={lossOf(data.value, device.id)} /> : <Skeleton height="4.5rem" />}
        </div>
      )}
      <ul class="plain-list muted">
        {groupOf(groups.value, device.id).length > 1 && <li>{texts.leavesGroup}</li>}
        <li>{texts.history}</li>
        <li>{texts.app}</li>
      </ul>
      {failure.value !== undefined && (
        <Notice kind="error">
          <p>{errorText(failure.value)}</p>
        </Notice>
      )}
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t().common.cancel}
        </Button>
        <Button kind="danger" icon="trash" isBusy={isBusy.value} disabled={!data.value} onClick={remove}>
          {t().common.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Meaning({ loss: { lost, kept } }: { loss: Loss }) {
  const texts = t().devices.removal
  if (lost.length + kept === 0) return <p>{texts.nothing}</p>
  return (
    <>
      {lost.length > 0 && (
        <Notice kind="warn">
          <p>{plural(texts.lost, lost.length, language.value)}</p>
          <PodcastNames summary={plural(texts.show, lost.length, language.value)} podcasts={lost} />
        </Notice>
      )}
      {kept > 0 && <p>{plural(texts.kept, kept, language.value)}</p>}
    </>
  )
}
