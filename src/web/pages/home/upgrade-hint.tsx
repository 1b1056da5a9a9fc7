import { useSignal } from '@preact/signals'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { accountKey } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { fetchUpgrades } from '../../store/upgrades.ts'
import type { Upgrades } from '../rest.ts'

/** Offers to switch podcasts to better addresses, until the user dismisses it. */
export function UpgradeHint() {
  const key = accountKey('upgrades-dismissed', ownName())
  const dismissed = useSignal(Number(localStorage.getItem(key)))
  // Errors are not shown, because this is only a hint.
  const query = useQuery(fetchUpgrades)
  useHints(['subscriptions', 'podcast'], query.reload)
  const dialog = useSignal<typeof Upgrades | undefined>(undefined)
  const upgrades = query.data.value ?? []

  const open = () =>
    attempt(async () => {
      dialog.value = (await import('../rest.ts')).Upgrades
    })

  function dismiss(): void {
    localStorage.setItem(key, String(upgrades.length))
    dismissed.value = upgrades.length
  }

  // The hint reappears when there are more upgrades than at the time it was dismissed.
  if (upgrades.length <= dismissed.value) return null
  return (
    <div class="row home-hint">
      <Icon name="upgrades" />
      <p>{t('home.upgrades', { n: upgrades.length })}</p>
      <Button kind="quiet" aria-haspopup="dialog" onClick={open}>
        {t('home.showUpgrades')}
      </Button>
      <Button kind="quiet" icon="cross" label={t('home.dismiss')} onClick={dismiss} />
      {dialog.value && <dialog.value upgrades={upgrades} onClose={setTo(dialog, undefined)} />}
    </div>
  )
}
