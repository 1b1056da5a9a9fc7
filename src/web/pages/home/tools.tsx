import { useSignal } from '@preact/signals'
import { Button } from '../../components/forms/button.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { Segmented } from '../../components/forms/preferences.tsx'
import { t } from '../../locales/index.ts'
import { devices } from '../../store/subscriptions.ts'
import { chosenDevice, device, filter, SORT_KEYS, sortKey, VIEWS, view } from './view.ts'

/** Filter, order and view of the list. */
export function Tools() {
  function choose(value: string): void {
    sortKey.value = SORT_KEYS.find((each) => each === value) ?? 'title'
  }
  return (
    <>
      <div class="home-tools">
        <SearchBox
          label={t('home.filter')}
          value={filter.value}
          onInput={(value) => {
            filter.value = value
          }}
        />
        <select
          class="select"
          aria-label={t('home.sortBy')}
          title={t('home.sortBy')}
          value={sortKey.value}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {SORT_KEYS.map((value) => (
            <option key={value} value={value}>
              {t(`home.sortKeys.${value}`)}
            </option>
          ))}
        </select>
        <Segmented
          label={t('home.view')}
          value={view.value}
          options={VIEWS.map((value) => ({ value, label: t(`home.views.${value}`) }))}
          onChoose={(value) => {
            view.value = value
          }}
        />
      </div>
      <DeviceChips
        chosen={chosenDevice()}
        onChoose={(id) => {
          device.value = id
        }}
      />
    </>
  )
}

/** Filters by device. Renders nothing if there is only one. */
function DeviceChips({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  const all = devices.value ?? []
  if (all.length < 2) return null
  const choices = [{ id: '', caption: t('home.allDevices') }, ...all]
  return (
    <fieldset class="home-devices" aria-label={t('home.device')}>
      {choices.map(({ id, caption }) => (
        <button
          type="button"
          key={id}
          class="chip chip-choice"
          title={caption}
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
        >
          <span class="cut" dir="auto">
            {caption}
          </span>
        </button>
      ))}
    </fieldset>
  )
}

interface SelectionBarProps {
  readonly selected: ReadonlySet<string>
  /** Feed URLs of the podcasts that are shown. */
  readonly urls: readonly string[]
  readonly onSelect: (urls: ReadonlySet<string>) => void
  readonly onEnd: () => void
  readonly onUnsubscribe: (urls: readonly string[]) => Promise<void>
}

/** The actions on selected podcasts. */
export function SelectionBar({ selected, urls, onSelect, onEnd, onUnsubscribe }: SelectionBarProps) {
  const isBusy = useSignal(false)
  const hasAll = selected.isSupersetOf(new Set(urls))

  async function unsubscribe(): Promise<void> {
    // A double click arrives before the button is disabled.
    if (isBusy.value) return
    isBusy.value = true
    await onUnsubscribe([...selected])
    isBusy.value = false
  }

  return (
    <div class="home-selection">
      <div class="row">
        <strong role="status">{t('home.selected', { n: selected.size })}</strong>
        <Button
          kind="quiet"
          onClick={() => onSelect(hasAll ? selected.difference(new Set(urls)) : selected.union(new Set(urls)))}
        >
          {hasAll ? t('home.selectNone') : t('home.selectAll')}
        </Button>
      </div>
      <div class="row">
        <Button
          kind="danger"
          icon="trash"
          isBusy={isBusy.value}
          disabled={selected.size === 0}
          onClick={() => unsubscribe()}
        >
          {t('home.unsubscribe')}
        </Button>
        <Button onClick={onEnd}>{t('common.cancel')}</Button>
      </div>
    </div>
  )
}
