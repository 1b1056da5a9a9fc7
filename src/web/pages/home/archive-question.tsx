import { useSignal } from '@preact/signals'
import { Button } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { markAllWithUndo } from '../../components/podcast/offer-undo.tsx'
import { t } from '../../locales/index.ts'
import { unplayed } from '../../store/episodes/lists.ts'
import { archiveSince, decideImport, undecidedImport } from '../../store/importing/archive.ts'
import { ownPodcasts } from '../../store/subscriptions.ts'

/** Asks once, after an import, how to treat older episodes. */
export function ArchiveQuestion({ onChange }: { onChange: () => Promise<unknown> }) {
  const isBusy = useSignal(false)
  const started = undecidedImport()
  const counts = unplayed.value.value
  if (started === '' || !ownPodcasts.value || !counts) return null
  const podcasts = archiveSince(started, ownPodcasts.value, counts)
  if (podcasts.length === 0) return null

  async function mark(): Promise<void> {
    isBusy.value = true
    await markAllWithUndo({ podcasts: [...podcasts], new: false }, 'played', onChange)
    isBusy.value = false
    decide()
  }

  function decide(): void {
    decideImport()
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <div class="row home-hint" role="status">
      <Icon name="inbox" />
      <p>{t('home.archive', { n: podcasts.length })}</p>
      <div class="row">
        <Button kind="quiet" onClick={decide}>
          {t('home.keepUnplayed')}
        </Button>
        <Button kind="quiet" isBusy={isBusy.value} onClick={mark}>
          {t('episodes.markPlayed')}
        </Button>
      </div>
    </div>
  )
}
