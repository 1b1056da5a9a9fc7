import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { ActionButton, attempt, errorMessage, Notice } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Checkbox } from '../../components/forms/choice.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, date, findText, t } from '../../locales/index.ts'
import { isOutbound, ownName } from '../../store/session.ts'
import { applyChanges, holdersOf, invert } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'

export type OwnPodcast = Answer<'getOwnPodcast'>

interface OwnProps {
  readonly own: OwnPodcast
  readonly title: string
  /** Called when the state of the feed may have changed. */
  readonly onChange: () => Promise<void>
}

/** The section for subscribers: the health of the feed, remedies, and the privacy of the subscription. */
export function OwnPodcastSection({ own, title, onChange }: OwnProps) {
  const isMoving = useSignal(false)
  const { health, url } = own
  const { state, last_checked: checked } = health
  const isFailing = state === 'failing' || state === 'gone'
  return (
    <section class="stack-small small" aria-label={t('podcast.health')}>
      <h2 class="podcast-small-heading">{t('podcast.health')}</h2>
      {isFailing ? (
        <FailureDetails health={health} />
      ) : (
        <p class="muted">
          {state === 'new' ? newText() : checked !== '' && t('podcast.upToDate', { ago: ago(checked) })}
        </p>
      )}
      {isFailing && isOutbound() && (
        <ActionButton
          work={async () => {
            try {
              await call('refreshOwnPodcast', { body: { url } })
              toast(t('podcast.refreshed'))
            } finally {
              await onChange()
            }
          }}
        >
          {t('podcast.tryNow')}
        </ActionButton>
      )}
      <div class="align-start">
        <Button kind="quiet" icon="edit" onClick={setTo(isMoving, true)}>
          {t('podcast.changeAddress')}
        </Button>
      </div>
      <PrivateChoice own={own} />
      {isMoving.value && <AddressDialog url={url} title={title} onClose={setTo(isMoving, false)} />}
    </section>
  )
}

/** Returns the explanation for a feed that has not been fetched yet. */
export function newText(): string {
  return isOutbound() ? t('podcast.isNew') : t('errors.codes.outbound_off')
}

function FailureDetails({ health: { reason, since, last_success: succeeded } }: { health: OwnPodcast['health'] }) {
  return (
    <Notice kind="warn">
      <p>{findText(`podcast.reasons.${reason}`) ?? t('podcast.reasonUnknown')}</p>
      <p>
        {t('home.failing', { since: date(since) })}.{' '}
        {succeeded !== '' && `${t('common.pair', { what: t('podcast.succeeded'), value: ago(succeeded) })}.`}
      </p>
    </Notice>
  )
}

/** Chooses whether other users of this server may learn that the user has the podcast. */
function PrivateChoice({ own }: { own: OwnPodcast }) {
  const path = { username: ownName(), scope: 'podcast' }
  const query = { podcast: own.url }
  const settings = useQuery((signal) => call('getSettings', { path, query, signal }))
  const chosen = useSignal<boolean | undefined>(undefined)
  const stored = Object(settings.data.value)['public_subscription']
  const isPrivate = chosen.value ?? (typeof stored === 'boolean' ? !stored : own.private)

  async function choose(makePrivate: boolean): Promise<void> {
    await call('changeSettings', { path, query, body: { set: { public_subscription: !makePrivate } } })
    chosen.value = makePrivate
  }

  return (
    <div>
      <Checkbox
        label={t('podcast.private')}
        checked={isPrivate}
        onChange={(makePrivate) => void attempt(() => choose(makePrivate))}
      />
      <p class="muted">{t('podcast.privateHint')}</p>
    </div>
  )
}

interface AddressProps {
  readonly url: string
  readonly title: string
  readonly onClose: () => void
}

/** Replaces the feed URL of the podcast on all devices that have it. */
function AddressDialog({ url, title, onClose }: AddressProps) {
  const { route } = useLocation()
  const address = useSignal('')

  async function change(): Promise<void> {
    const { candidates, reason, address: triedUrl } = await call('resolvePodcast', { body: { text: address.value } })
    const found = reason === 'outbound_off' ? triedUrl : candidates[0]?.url
    if (found === undefined) throw new ApiError(404, 'unknown_podcast', 'there is no podcast')
    if (found === url) return
    const changes = [...holdersOf(url)].map((device) => ({ device, add: [found], remove: [url] }))
    await applyChanges(changes)
    route(podcastHref(found), true)
    toast(t('podcast.changed', { title }), {
      subject: found,
      action: {
        label: t('common.undo'),
        run: () =>
          void attempt(async () => {
            await applyChanges(invert(changes))
            route(podcastHref(url), true)
          }),
      },
    })
  }

  return (
    <FormDialog
      title={t('podcast.changeTitle')}
      submit={t('podcast.change')}
      isReady={address.value.trim() !== ''}
      errorText={(error) =>
        error instanceof ApiError && error.code === 'unknown_podcast' ? t('podcast.changeNone') : errorMessage(error)
      }
      onSubmit={change}
      onClose={onClose}
    >
      <p class="muted">{t('podcast.changeLead')}</p>
      <TextField label={t('podcast.newAddress')} value={address} name="address" required />
    </FormDialog>
  )
}
