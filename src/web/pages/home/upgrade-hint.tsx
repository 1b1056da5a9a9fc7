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

/** Offers to switch podcasts to a better address, until the user dismisses it. */
export function UpgradeHint() {
  const key = accountKey('upgrades-dismissed', ownName())
  const dismissed = useSignal(Number(localStorage.getItem(key)))
  // It is no more than a hint, so that a failure is not told.
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

  // More of them than there were then are worth another word.
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
