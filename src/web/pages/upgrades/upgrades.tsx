import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { DeviceName } from '../../components/device.tsx'
import { EmptyState, errorMessage, Notice, QueryState } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { useRestoredFocus } from '../../components/forms/focus.ts'
import { Icon } from '../../components/icon.tsx'
import { Page, Skeleton, TitledSection } from '../../components/layout/page.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { type Query, useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { devices, ensureSubscriptions, holders, holdersOf } from '../../store/subscriptions.ts'
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

/** Feeds that are available by HTTPS, and feeds that have moved. The user decides about each. */
export default function Upgrades() {
  // Each upgrade is a hint to load the list again, which does not have it any more.
  const query: Query<readonly Upgrade[]> = useQuery(async (signal) =>
    withStarted(await fetchAll(signal), query.data.peek() ?? []),
  )
  useHints(['subscriptions', 'podcast'], query.reload)
  const asked = useSignal<readonly Upgrade[] | undefined>(undefined)
  useEffect(forgetOutcomes, [])
  const list = query.data.value
  const byHttps = list?.filter(({ kind }) => kind === 'https')
  const moved = list?.filter(({ kind }) => kind === 'move') ?? []

  if (list?.length === 0)
    return (
      <Page title={t('upgrades.title')}>
        <EmptyState title={t('upgrades.emptyTitle')} text={emptyText()}>
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
        <QueryState query={query} skeleton={<Skeleton height="7.5rem" count={3} />} />
        {byHttps && byHttps.length > 0 && <ByHttps upgrades={byHttps} asked={asked} />}
        {moved.length > 0 && (
          <TitledSection class="stack upgrades-moved" title={t('upgrades.movedTitle')}>
            <p class="muted">{t('upgrades.moved')}</p>
            <List upgrades={moved} asked={asked} />
          </TitledSection>
        )}
      </div>
      {asked.value && (
        <ConfirmUpgrades
          upgrades={asked.value}
          onClose={setTo(asked, undefined)}
          onConfirm={(chosen) => void apply(chosen)}
        />
      )}
    </Page>
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
            onClick={setTo(asked, open)}
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
          <UpgradeItem upgrade={upgrade} outcome={outcomes.value.get(upgrade.from)} onApply={setTo(asked, [upgrade])} />
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
  return (
    <FormDialog
      title={isMove ? t('upgrades.followTitle') : t('upgrades.confirmTitle', { n: upgrades.length })}
      submit={isMove ? t('upgrades.follow') : upgrades.length === 1 ? t('upgrades.one') : t('upgrades.all')}
      // The page applies the upgrades, and shows how far they are.
      onSubmit={() => Promise.resolve()}
      onClose={onClose}
      onDone={() => onConfirm(upgrades)}
    >
      {upgrades.length === 1 && <p class="upgrades-title">{only?.title}</p>}
      <p>{t('upgrades.what')}</p>
      <p class="muted">{t('upgrades.noUndo')}</p>
    </FormDialog>
  )
}

interface UpgradeItemProps {
  readonly upgrade: Upgrade
  readonly outcome: Outcome | undefined
  readonly onApply: () => void
}

/** A podcast with its old and new address, its devices, and a button to upgrade it. */
function UpgradeItem({ upgrade, outcome, onApply }: UpgradeItemProps) {
  const { kind, from, to, title } = upgrade
  const step = useRestoredFocus<HTMLDivElement>(outcome?.state)
  const owners = outcome?.state === 'done' ? new Set(outcome.devices) : holdersOf(from)
  return (
    <>
      <Artwork url={from} title={title} size={128} />
      <div class="stack-small upgrade-text">
        <h3 dir="auto">
          <a href={podcastHref(outcome?.state === 'done' ? to : from)} data-item="">
            {title}
          </a>
        </h3>
        {kind === 'https' ? <HttpsAddress url={to} /> : <MovedAddress from={from} to={to} />}
        <ul class="row upgrade-devices" aria-label={t('common.nav.devices')}>
          {(devices.value ?? [])
            .filter(({ id }) => owners.has(id))
            .map((device) => (
              <li class="chip" key={device.id}>
                <DeviceName device={device} />
              </li>
            ))}
        </ul>
        {outcome?.state === 'failed' && (
          <p class="field-error" role="alert">
            {t('upgrades.failed', { message: errorMessage(outcome.error) })}
          </p>
        )}
      </div>
      <div class="upgrade-step" role="status" tabIndex={-1} ref={step}>
        {outcome?.state === 'done' ? (
          <span class="chip chip-good">
            <Icon name="check" />
            {t('upgrades.done', { n: outcome.devices.length })}
          </span>
        ) : (
          <Button isBusy={outcome?.state === 'waiting'} about={title} onClick={onApply}>
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

function HttpsAddress({ url }: { readonly url: string }) {
  return (
    <p class="upgrade-address">
      <span class="upgrade-scheme upgrade-http">http</span>
      <Icon name="forward" />
      <span class="hidden-text">{t('upgrades.to')}</span>
      <span class="upgrade-scheme upgrade-https">https</span>
      <span class="upgrade-rest muted small" dir="ltr">
        {url.slice('https'.length)}
      </span>
    </p>
  )
}

function MovedAddress({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <p class="upgrade-address">
      <span class="upgrade-rest muted small" dir="ltr">
        {from}
      </span>
      <Icon name="forward" />
      <span class="hidden-text">{t('upgrades.to')}</span>
      <span class="upgrade-rest small" dir="ltr">
        {to}
      </span>
    </p>
  )
}
