import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../api/client.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { Empty, Failure, Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { href } from '../state/base.ts'
import { useLoad } from '../state/load.ts'
import { knowSubscriptions } from '../state/subscriptions.ts'
import { toast } from '../state/toasts.ts'
import { applyUpgrades, batch, forgetOutcomes, outcomes, type Upgrade } from '../state/upgrades.ts'
import { fill, language, number, plural, t } from '../text/index.ts'
import { ConfirmUpgrades } from './upgrades/confirm.tsx'
import { UpgradeItem } from './upgrades/item.tsx'

/** Feeds that come by http and could come by https. Nothing happens by itself. */
export default function Upgrades() {
  const texts = t().upgrades
  const { data, error, reload } = useLoad(fetchUpgrades)
  const asked = useSignal<readonly Upgrade[] | undefined>(undefined)
  useEffect(forgetOutcomes, [])
  const list = data.value
  const open = (list ?? []).filter(({ http_url }) => {
    const state = outcomes.value.get(http_url)?.state
    return state !== 'done' && state !== 'waiting'
  })

  if (list?.length === 0)
    return (
      <Page title={texts.title}>
        <Empty title={texts.emptyTitle} text={texts.empty}>
          <ButtonLink href={href('/')}>{texts.toPodcasts}</ButtonLink>
        </Empty>
      </Page>
    )
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div class="stack">
        <Notice>
          <h2 class="upgrades-what">{texts.whatTitle}</h2>
          <p>{texts.what}</p>
          <p>{texts.noUndo}</p>
        </Notice>
        {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
        {!list && !error.value && <Skeleton height="7.5rem" count={3} />}
        {list && (
          <>
            <div class="row-apart upgrades-head">
              <p class="muted" role="status">
                {batch.value ? progress(batch.value) : plural(t().common.podcasts, list.length, language.value)}
              </p>
              {list.length > 1 && (
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
            <ul class="upgrades">
              {list.map((upgrade) => (
                <li class="card upgrade" key={upgrade.http_url}>
                  <UpgradeItem
                    upgrade={upgrade}
                    outcome={outcomes.value.get(upgrade.http_url)}
                    onApply={() => {
                      asked.value = [upgrade]
                    }}
                  />
                </li>
              ))}
            </ul>
          </>
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

async function fetchUpgrades(signal: AbortSignal): Promise<readonly Upgrade[]> {
  const [list] = await Promise.all([call('listUpgrades', { signal }), knowSubscriptions()])
  return list
}

/** Told wherever the person is by then. */
async function apply(chosen: readonly Upgrade[]): Promise<void> {
  const succeeded = await applyUpgrades(chosen)
  if (succeeded > 0) toast(plural(t().upgrades.finished, succeeded, language.value))
}

function progress({ done, total }: { done: number; total: number }): string {
  const { progress: words, leave } = t().upgrades
  return `${fill(words, { done: number(done), total: number(total) })} · ${leave}`
}
