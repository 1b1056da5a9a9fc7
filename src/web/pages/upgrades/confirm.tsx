import { Button } from '../../parts/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../parts/dialog.tsx'
import type { Upgrade } from '../../state/upgrades.ts'
import { language, plural, t } from '../../text/index.ts'

interface ConfirmProps {
  readonly upgrades: readonly Upgrade[]
  readonly onClose: () => void
  readonly onConfirm: (upgrades: readonly Upgrade[]) => void
}

/** There is no undo, so it asks. */
export function ConfirmUpgrades({ upgrades, onClose, onConfirm }: ConfirmProps) {
  const texts = t().upgrades
  const [only] = upgrades
  const isMove = only?.kind === 'move'
  const title = isMove ? texts.followTitle : plural(texts.confirmTitle, upgrades.length, language.value)
  return (
    <Dialog title={title} onClose={onClose}>
      {upgrades.length === 1 && <p class="upgrades-title">{only?.title}</p>}
      <p>{texts.what}</p>
      <p class="muted">{texts.noUndo}</p>
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t().common.cancel}
        </Button>
        <Button
          kind="main"
          onClick={(event) => {
            closeDialog(event)
            onConfirm(upgrades)
          }}
        >
          {isMove ? texts.follow : upgrades.length === 1 ? texts.one : texts.all}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
