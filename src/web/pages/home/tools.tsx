import { captionList } from '../../components/device.tsx'
import { Button } from '../../components/forms/button.tsx'
import { ButtonChoice, Select } from '../../components/forms/choice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Reserved } from '../../components/layout/reserved.tsx'
import { SelectionBar } from '../../components/selection.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { setter } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { devices } from '../../store/subscriptions.ts'
import { FolderChoice } from './folders.tsx'
import {
  areToolsOpen,
  choosableDevices,
  chosenDevice,
  device,
  filter,
  isFiltered,
  prepareFilter,
  SORT_KEYS,
  sortKey,
  VIEWS,
  view,
} from './view.ts'

/** Toggles filter, order and view on phones, where they are hidden to leave room for covers. */
export function ToolsButton() {
  if (!isNarrow.value) return null
  return (
    <Button
      kind="quiet"
      icon="search"
      label={t('home.tools')}
      aria-expanded={areToolsShown()}
      disabled={isFiltered.value}
      onClick={() => {
        areToolsOpen.value = !areToolsOpen.value
      }}
    />
  )
}

/** An active filter stays visible. */
function areToolsShown(): boolean {
  return !isNarrow.value || areToolsOpen.value || isFiltered.value
}

export function Tools() {
  if (!areToolsShown()) return null
  return (
    <>
      <div class="home-tools">
        <SearchBox label={t('home.filter')} value={filter} onFocus={prepareFilter} />
        <Select
          label={t('home.sortBy')}
          title={t('home.sortBy')}
          value={sortKey.value}
          options={SORT_KEYS.map((value) => ({ value, label: t(`home.sortKeys.${value}`) }))}
          onChoose={setter(sortKey)}
        />
        <ButtonChoice
          class="segmented"
          label={t('home.view')}
          value={view.value}
          options={VIEWS.map((value) => ({
            value,
            title: t(`home.views.${value}`),
            label: <ViewIcon name={value} />,
          }))}
          onChoose={setter(view)}
        />
      </div>
      <Reserved name="home-devices" isSettled={devices.value !== undefined}>
        <DeviceChoice />
      </Reserved>
      <FolderChoice />
    </>
  )
}

function ViewIcon({ name }: { name: (typeof VIEWS)[number] }) {
  return (
    <>
      <Icon name={name} />
      <span class="hidden-text">{t(`home.views.${name}`)}</span>
    </>
  )
}

/** Filters by device. Renders nothing if all devices share one list. */
function DeviceChoice() {
  const sets = choosableDevices.value
  if (sets.length < 2) return null
  const choices = [
    { id: '', caption: t('home.allDevices') },
    ...sets.map((set) => ({ id: set[0]?.id ?? '', caption: captionList(set.map(({ id }) => id)) })),
  ]
  return (
    <ButtonChoice
      class="chips"
      label={t('home.device')}
      value={chosenDevice.value}
      options={choices.map(({ id, caption }) => ({ value: id, title: caption, label: <Caption text={caption} /> }))}
      onChoose={setter(device)}
    />
  )
}

function Caption({ text }: { text: string }) {
  return (
    <span class="cut" dir="auto">
      {text}
    </span>
  )
}

interface PodcastSelectionProps {
  readonly selected: ReadonlySet<string>
  /** Feed URLs of the podcasts shown. */
  readonly urls: readonly string[]
  readonly onSelect: (urls: ReadonlySet<string>) => void
  readonly onEnd: () => void
  readonly onFile: (urls: readonly string[]) => Promise<void>
  readonly onMark: (urls: readonly string[]) => Promise<void>
  readonly onHide: (urls: readonly string[]) => Promise<void>
  readonly onUnsubscribe: (urls: readonly string[]) => Promise<void>
}

export function PodcastSelection(props: PodcastSelectionProps) {
  const { selected, urls, onSelect, onEnd, onFile, onMark, onHide, onUnsubscribe } = props
  const shown = new Set(urls)
  const hasAll = selected.isSupersetOf(shown)
  return (
    <SelectionBar
      count={selected.size}
      hasAll={hasAll}
      onToggleAll={() => onSelect(hasAll ? selected.difference(shown) : selected.union(shown))}
      onEnd={onEnd}
    >
      {(actionOf) => (
        <>
          <Button icon="played" {...actionOf(() => onMark([...selected]))}>
            {t('episodes.markPlayed')}
          </Button>
          <Button icon="folder" {...actionOf(() => onFile([...selected]))}>
            {t('folders.assign')}
          </Button>
          <Button icon="eyeOff" {...actionOf(() => onHide([...selected]))}>
            {t('home.makePrivate')}
          </Button>
          <Button kind="danger" icon="trash" {...actionOf(() => onUnsubscribe([...selected]))}>
            {t('home.unsubscribe')}
          </Button>
        </>
      )}
    </SelectionBar>
  )
}
