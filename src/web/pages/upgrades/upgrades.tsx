import { useEffect } from 'preact/hooks'
import { errorMessage, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Dialog } from '../../components/forms/dialog.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Skeleton } from '../../components/layout/page.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { type Query, useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { ensureSubscriptions, holders } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import {
  applyUpgrades,
  batch,
  countPlain,
  fetchUpgrades,
  forgetOutcomes,
  type Outcome,
  outcomes,
  type Upgrade,
  withStarted,
} from '../../store/upgrades.ts'

/** Podcasts that are available by HTTPS, and those that have moved. The user decides about each. */
export function Upgrades({ onClose }: { onClose: () => void }) {
  // Each upgrade is a hint to load the list again, which does not have it any more.
  const query: Query<readonly Upgrade[]> = useQuery(async (signal) =>
    withStarted(await fetchAll(signal), query.data.peek() ?? []),
  )
  useHints(['subscriptions', 'podcast'], query.reload)
  useEffect(forgetOutcomes, [])
  const list = query.data.value
  const byHttps = list?.filter(({ kind }) => kind === 'https') ?? []
  const moved = list?.filter(({ kind }) => kind === 'move') ?? []
  return (
    <Dialog title={t('upgrades.title')} onClose={onClose} isText>
      <div class="stack">
        <QueryState query={query} skeleton={<Skeleton height="4rem" count={3} />} />
        {list?.length === 0 && <p>{emptyText()}</p>}
        {list && list.length > 0 && <p>{t('upgrades.what')}</p>}
        {list && list.length > 0 && <p class="muted">{t('upgrades.noUndo')}</p>}
        {byHttps.length > 0 && <ByHttps upgrades={byHttps} />}
        {moved.length > 0 && (
          <>
            <h3>{t('upgrades.movedTitle')}</h3>
            <p class="muted">{t('upgrades.moved')}</p>
            <List upgrades={moved} />
          </>
        )}
      </div>
    </Dialog>
  )
}

/** What can be said where nothing is offered: that a feed has no https address here does not mean that all is well. */
function emptyText(): string {
  const { all, plain } = countPlain(holders.value ?? new Map())
  if (plain > 0) return t('upgrades.plain', { n: plain })
  return all > 0 ? t('upgrades.allSafe') : t('upgrades.noPodcasts')
}

interface ListProps {
  readonly upgrades: readonly Upgrade[]
}

function ByHttps({ upgrades }: ListProps) {
  const open = upgrades.filter(({ from }) => {
    const state = outcomes.value.get(from)?.state
    return state !== 'done' && state !== 'waiting'
  })
  const isDone = upgrades.every(({ from }) => outcomes.value.get(from)?.state === 'done')
  const head = useRestoredFocus<HTMLParagraphElement>(isDone || undefined)
  return (
    <>
      <div class="row-apart">
        <p class="muted" role="status" tabIndex={-1} ref={head}>
          {isDone ? t('upgrades.allDone') : stateOf(upgrades)}
        </p>
        {upgrades.length > 1 && !isDone && (
          <Button
            kind="main"
            isBusy={batch.value !== undefined}
            disabled={open.length === 0}
            onClick={() => apply(open)}
          >
            {t('upgrades.all')}
          </Button>
        )}
      </div>
      {batch.value && (
        <progress class="progress" aria-label={t('upgrades.title')} max={batch.value.total} value={batch.value.done} />
      )}
      <List upgrades={upgrades} />
    </>
  )
}

function List({ upgrades }: ListProps) {
  return (
    <ul class="rows">
      {upgrades.map((upgrade) => (
        <li class="row-apart upgrade" key={upgrade.from}>
          <UpgradeItem upgrade={upgrade} outcome={outcomes.value.get(upgrade.from)} />
        </li>
      ))}
    </ul>
  )
}

async function fetchAll(signal: AbortSignal): Promise<readonly Upgrade[]> {
  const [list] = await Promise.all([fetchUpgrades(signal), ensureSubscriptions()])
  return list
}

/** Applies upgrades, and shows a message wherever the user is by then. */
async function apply(chosen: readonly Upgrade[]): Promise<void> {
  const succeeded = await applyUpgrades(chosen)
  if (succeeded > 0)
    toast(chosen[0]?.kind === 'move' ? t('upgrades.followed') : t('upgrades.finished', { n: succeeded }))
}

function stateOf({ length }: readonly Upgrade[]): string {
  return batch.value ? progress(batch.value) : t('common.podcasts', { n: length })
}

function progress({ done, total }: { done: number; total: number }): string {
  return t('upgrades.progress', { done: number(done), total: number(total) })
}

interface UpgradeItemProps {
  readonly upgrade: Upgrade
  readonly outcome: Outcome | undefined
}

/** A podcast with its new address, and a button to switch to it. */
function UpgradeItem({ upgrade, outcome }: UpgradeItemProps) {
  const { kind, from, to, title } = upgrade
  const step = useRestoredFocus<HTMLDivElement>(outcome?.state)
  return (
    <>
      <div class="stack-small upgrade-text">
        <p class="media-title" dir="auto">
          {title}
        </p>
        {kind === 'move' && <Address url={from} />}
        <Address url={to} />
        {outcome?.state === 'failed' && (
          <p class="field-error" role="alert">
            {t('upgrades.failed', { message: errorMessage(outcome.error) })}
          </p>
        )}
      </div>
      <div role="status" tabIndex={-1} ref={step}>
        {outcome?.state === 'done' ? (
          <span class="chip chip-good">
            <Icon name="check" />
            {t('upgrades.done', { n: outcome.devices.length })}
          </span>
        ) : (
          <Button isBusy={outcome?.state === 'waiting'} about={title} onClick={() => apply([upgrade])}>
            {outcome?.state === 'waiting'
              ? t('upgrades.waiting')
              : kind === 'https'
                ? t('upgrades.one')
                : t('upgrades.follow')}
          </Button>
        )}
      </div>
    </>
  )
}

function Address({ url }: { readonly url: string }) {
  return (
    <p class="muted small" dir="ltr">
      {url}
    </p>
  )
}
