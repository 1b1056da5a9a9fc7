import { t } from '../../locales/index.ts'
import { queue } from '../../store/episodes/queue.ts'
import { Button } from '../forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { emptyQueue } from './queue-actions.ts'
import { KeepPlaying, QueueList } from './queue-list.tsx'

/** Dialog with the queue. */
export function QueueDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t('queue.title')} isText isSheet onClose={onClose}>
      <div class="player-sheet-head">
        <Button kind="quiet" icon="down" label={t('common.close')} onClick={closeDialog} />
      </div>
      <QueueList />
      <KeepPlaying />
      {(queue.value?.length ?? 0) > 0 && (
        <DialogActions>
          <Button kind="quiet" icon="trash" onClick={emptyQueue}>
            {t('queue.clear')}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}
