import { useSignal } from '@preact/signals'
import { Checkbox } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { applyUpgrades, type Upgrade } from '../../store/upgrades.ts'

interface UpgradesProps {
  readonly upgrades: readonly Upgrade[]
  readonly onClose: () => void
}

/** Podcasts that are available over HTTPS or have moved. The user decides which ones to switch. */
export function Upgrades({ upgrades, onClose }: UpgradesProps) {
  const deselected = useSignal<ReadonlySet<string>>(new Set())
  const selected = upgrades.filter(({ from }) => !deselected.value.has(from))

  function choose(url: string, isWanted: boolean): void {
    const rest = new Set(deselected.value)
    if (isWanted) rest.delete(url)
    else rest.add(url)
    deselected.value = rest
  }

  return (
    <FormDialog
      title={t('upgrades.title')}
      submit={t('upgrades.submit')}
      isReady={selected.length > 0}
      onSubmit={() => applyUpgrades(selected)}
      onClose={onClose}
      onDone={() => toast(t('upgrades.finished', { n: selected.length }))}
    >
      <p>{t('upgrades.what')}</p>
      <p class="muted">{t('upgrades.noUndo')}</p>
      <ul class="device-choices">
        {upgrades.map(({ kind, from, to, title }) => (
          <li key={from}>
            <Checkbox
              label={
                <>
                  <span dir="auto">{title}</span>
                  <br />
                  <small class="muted" dir="ltr">
                    {kind === 'move' ? `${from} → ${to}` : to}
                  </small>
                </>
              }
              checked={!deselected.value.has(from)}
              onChange={(isWanted) => choose(from, isWanted)}
            />
          </li>
        ))}
      </ul>
    </FormDialog>
  )
}
