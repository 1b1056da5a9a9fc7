import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Empty, Failure, Notice } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../../components/forms/dialog.tsx'
import { useKeptFocus } from '../../components/forms/focus.ts'
import { Page } from '../../components/layout/page.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useLoad } from '../../hooks/use-query.ts'
import { href } from '../../store/paths.ts'
import { knowSubscriptions } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { applyUpgrades, batch, fetchUpgrades, forgetOutcomes, outcomes, type Upgrade } from '../../store/upgrades.ts'
import { fill, language, number, plural, t } from '../../text/index.ts'
import { UpgradeItem } from './item.tsx'

/** Feeds that come by http and could come by https, and those that have moved. Nothing happens by itself. */
export default function Upgrades() {
  const texts = t().upgrades
  const { data, error, reload } = useLoad(fetchAll)
  const asked = useSignal<readonly Upgrade[] | undefined>(undefined)
  useEffect(forgetOutcomes, [])
  const list = data.value
  const byHttps = list?.filter(({ kind }) => kind === 'https')
  const moved = list?.filter(({ kind }) => kind === 'move') ?? []

  if (list?.length === 0)
    return (
      <Page title={texts.title}>
        <Empty title={texts.emptyTitle} text={texts.empty}>
          <ButtonLink href={href('/')}>{texts.toPodcasts}</ButtonLink>
        </Empty>
      </Page>
    )
  return (
    <Page title={texts.title} {...(byHttps?.length !== 0 && { lead: texts.lead })}>
      <div class="stack">
        <Notice>
          <h2 class="upgrades-what">{texts.whatTitle}</h2>
          <p>{texts.what}</p>
          <p>{texts.noUndo}</p>
        </Notice>
        {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
        {!list && !error.value && <Skeleton height="7.5rem" count={3} />}
        {byHttps && byHttps.length > 0 && <ByHttps upgrades={byHttps} asked={asked} />}
        {moved.length > 0 && (
          <section class="stack upgrades-moved" aria-labelledby="moved">
            <h2 id="moved">{texts.movedTitle}</h2>
            <p class="muted">{texts.moved}</p>
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
  /** Those that the person is to confirm. */
  readonly asked: Signal<readonly Upgrade[] | undefined>
}

function ByHttps({ upgrades, asked }: ListProps) {
  const texts = t().upgrades
  const open = upgrades.filter(({ from }) => {
    const state = outcomes.value.get(from)?.state
    return state !== 'done' && state !== 'waiting'
  })
  const isDone = upgrades.every(({ from }) => outcomes.value.get(from)?.state === 'done')
  const head = useKeptFocus<HTMLParagraphElement>(isDone || undefined)
  return (
    <>
      <div class="row-apart upgrades-head">
        <p class="muted" role="status" tabIndex={-1} ref={head}>
          {isDone ? texts.allDone : stateOf(upgrades)}
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
            {texts.all}
          </Button>
        )}
      </div>
      {batch.value && (
        <progress class="progress" aria-label={texts.all} max={batch.value.total} value={batch.value.done} />
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
  const [list] = await Promise.all([fetchUpgrades(signal), knowSubscriptions()])
  return list
}

/** Told wherever the person is by then. */
async function apply(chosen: readonly Upgrade[]): Promise<void> {
  const succeeded = await applyUpgrades(chosen)
  const { finished, followed } = t().upgrades
  if (succeeded > 0) toast(chosen[0]?.kind === 'move' ? followed : plural(finished, succeeded, language.value))
}

function stateOf({ length }: readonly Upgrade[]): string {
  return batch.value ? progress(batch.value) : plural(t().common.podcasts, length, language.value)
}

function progress({ done, total }: { done: number; total: number }): string {
  const { progress: words, leave } = t().upgrades
  return `${fill(words, { done: number(done), total: number(total) })} · ${leave}`
}

interface ConfirmProps {
  readonly upgrades: readonly Upgrade[]
  readonly onClose: () => void
  readonly onConfirm: (upgrades: readonly Upgrade[]) => void
}

/** There is no undo, so it asks. */
function ConfirmUpgrades({ upgrades, onClose, onConfirm }: ConfirmProps) {
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
