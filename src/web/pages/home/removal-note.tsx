import { useSignal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { attempt } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Reserved } from '../../components/layout/reserved.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, t } from '../../locales/index.ts'
import { accountKey, href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { findRemoval, type Removal } from './removal.ts'

interface RemovalNoteProps {
  /** Number of the user's podcasts. */
  readonly remaining: number
  /** Reloads the podcasts. */
  readonly onChange: () => Promise<unknown>
}

/** A notice that apps have removed podcasts, possibly by mistake, with a button to restore them. */
export function RemovalNote({ remaining, onChange }: RemovalNoteProps) {
  const key = accountKey('removal-dismissed', ownName())
  const dismissed = useSignal(Number(localStorage.getItem(key)))
  // Errors are ignored: without a response, no notice appears.
  const query = useQuery((signal) => call('listChanges', { query: {}, signal }))
  useHints(['subscriptions'], query.reload)
  const find = () => findRemoval(query.data.value?.items ?? [], remaining, Date.now() / 1000)
  const removal = find()
  const isBusy = useSignal(false)

  function dismiss({ id }: Removal): void {
    localStorage.setItem(key, String(id))
    dismissed.value = id
    restoreFocus(document.querySelector('h1'))
  }

  async function getBack({ id }: Removal): Promise<void> {
    isBusy.value = true
    await attempt(async () => {
      // The restore would also undo changes that apps have made since.
      await query.reload()
      const now = find()
      if (now?.id !== id || now.hasOthers) return
      await call('restoreLists', { body: now.before })
      toast(t('home.broughtBack'))
      await Promise.all([query.reload(), onChange()])
      restoreFocus(document.querySelector('h1'))
    })
    isBusy.value = false
  }

  const isKnown = query.data.value !== undefined || query.error.value !== undefined
  return (
    <Reserved name="removal" isSettled={isKnown}>
      {removal && removal.id > dismissed.value && (
        <div class="row home-hint" role="status">
          <Icon name="undo" />
          <p>{t('home.removed', { n: removal.count, when: ago(removal.time) })}</p>
          {removal.hasOthers ? (
            <ButtonLink kind="quiet" href={href('/activity')}>
              {t('home.getBack')}
            </ButtonLink>
          ) : (
            <Button kind="quiet" isBusy={isBusy.value} onClick={() => getBack(removal)}>
              {t('home.getBack')}
            </Button>
          )}
          <Button kind="quiet" icon="cross" label={t('home.dismiss')} onClick={() => dismiss(removal)} />
        </div>
      )}
    </Reserved>
  )
}
