import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { EmptyState, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../components/forms/dialog.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Page } from '../../components/layout/page.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { number } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { ensureSubscriptions } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { applyUpgrades, batch, fetchUpgrades, forgetOutcomes, outcomes, type Upgrade } from '../../store/upgrades.ts'
import { UpgradeItem } from './item.tsx'

/** Feeds that are available by HTTPS, and feeds that have moved. The user decides about each. */
export default function Upgrades() {
  const { data, error, reload } = useQuery(fetchAll)
  const asked = useSignal<readonly Upgrade[] | undefined>(undefined)
  useEffect(forgetOutcomes, [])
  const list = data.value
  const byHttps = list?.filter(({ kind }) => kind === 'https')
  const moved = list?.filter(({ kind }) => kind === 'move') ?? []

  if (list?.length === 0)
    return (
      <Page title={t('upgrades.title')}>
        <EmptyState title={t('upgrades.emptyTitle')} text={t('upgrades.empty')}>
          <ButtonLink href={href('/')}>{t('upgrades.toPodcasts')}</ButtonLink>
        </EmptyState>
      </Page>
    )
  return (
    <Page title={t('upgrades.title')} {...(byHttps?.length !== 0 && { lead: t('upgrades.lead') })}>
      <div class="stack">
        <Notice>
          <h2 class="upgrades-what">{t('upgrades.whatTitle')}</h2>
          <p>{t('upgrades.what')}</p>
          <p>{t('upgrades.noUndo')}</p>
        </Notice>
        {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
        {!list && !error.value && <Skeleton height="7.5rem" count={3} />}
        {byHttps && byHttps.length > 0 && <ByHttps upgrades={byHttps} asked={asked} />}
        {moved.length > 0 && (
          <section class="stack upgrades-moved" aria-labelledby="moved">
            <h2 id="moved">{t('upgrades.movedTitle')}</h2>
            <p class="muted">{t('upgrades.moved')}</p>
            <List upgrades={moved} asked={asked} />
          </section>
        )}
      </div>
      {asked.value && (
        <ConfirmUpgrades
          upgrades={asked.value}
          onClose={() => {
            asked.value = undefined
          }}
          onConfirm={(chosen) => void apply(chosen)}
        />
      )}
    </Page>
  )
}

interface ListProps {
  readonly upgrades: readonly Upgrade[]
  /** The upgrades that the user has to confirm. */
  readonly asked: Signal<readonly Upgrade[] | undefined>
}

function ByHttps({ upgrades, asked }: ListProps) {
  const open = upgrades.filter(({ from }) => {
    const state = outcomes.value.get(from)?.state
    return state !== 'done' && state !== 'waiting'
  })
  const isDone = upgrades.every(({ from }) => outcomes.value.get(from)?.state === 'done')
  const head = useRestoredFocus<HTMLParagraphElement>(isDone || undefined)
  return (
    <>
      <div class="row-apart upgrades-head">
        <p class="muted" role="status" tabIndex={-1} ref={head}>
          {isDone ? t('upgrades.allDone') : stateOf(upgrades)}
        </p>
        {upgrades.length > 1 && !isDone && (
          <Button
            kind="main"
            isBusy={batch.value !== undefined}
            disabled={open.length === 0}
            onClick={() => {
              asked.value = open
            }}
          >
            {t('upgrades.all')}
          </Button>
        )}
      </div>
      {batch.value && (
        <progress class="progress" aria-label={t('upgrades.all')} max={batch.value.total} value={batch.value.done} />
      )}
      <List upgrades={upgrades} asked={asked} />
    </>
  )
}

function List({ upgrades, asked }: ListProps) {
  return (
    <ul class="upgrades">
      {upgrades.map((upgrade) => (
        <li class="card upgrade" key={upgrade.from}>
          <UpgradeItem
            upgrade={upgrade}
            outcome={outcomes.value.get(upgrade.from)}
            onApply={() => {
              asked.value = [upgrade]
            }}
          />
        </li>
      ))}
    </ul>
  )
}

async function fetchAll(signal: AbortSignal): Promise<readonly Upgrade[]> {
  const [list] = await Promise.all([fetchUpgrades(signal), ensureSubscriptions()])
  return list
}

/** Applies upgrades, and shows a message on whatever page the user is by then. */
async function apply(chosen: readonly Upgrade[]): Promise<void> {
  const succeeded = await applyUpgrades(chosen)
  if (succeeded > 0)
    toast(chosen[0]?.kind === 'move' ? t('upgrades.followed') : t('upgrades.finished', { n: succeeded }))
}

function stateOf({ length }: readonly Upgrade[]): string {
  return batch.value ? progress(batch.value) : t('common.podcasts', { n: length })
}

function progress({ done, total }: { done: number; total: number }): string {
  return `${t('upgrades.progress', { done: number(done), total: number(total) })} · ${t('upgrades.leave')}`
}

interface ConfirmProps {
  readonly upgrades: readonly Upgrade[]
  readonly onClose: () => void
  readonly onConfirm: (upgrades: readonly Upgrade[]) => void
}

/** Asks before an upgrade, since it cannot be undone. */
function ConfirmUpgrades({ upgrades, onClose, onConfirm }: ConfirmProps) {
  const [only] = upgrades
  const isMove = only?.kind === 'move'
  const title = isMove ? t('upgrades.followTitle') : t('upgrades.confirmTitle', { n: upgrades.length })
  return (
    <Dialog title={title} onClose={onClose}>
      {upgrades.length === 1 && <p class="upgrades-title">{only?.title}</p>}
      <p>{t('upgrades.what')}</p>
      <p class="muted">{t('upgrades.noUndo')}</p>
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t('common.cancel')}
        </Button>
        <Button
          kind="main"
          onClick={(event) => {
            closeDialog(event)
            onConfirm(upgrades)
          }}
        >
          {isMove ? t('upgrades.follow') : upgrades.length === 1 ? t('upgrades.one') : t('upgrades.all')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
