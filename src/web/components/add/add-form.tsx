import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { t } from '../../locales/index.ts'
import { type Addition, addPodcast, looksLikeAddress, type Resolution, resolveText } from '../../store/adding.ts'
import { podcastDevices } from '../../store/own-device.ts'
import { hasDirectory } from '../../store/session.ts'
import { deviceSets, devices, ensureSubscriptions, groups } from '../../store/subscriptions.ts'
import { ErrorNotice, errorMessage } from '../feedback/notice.tsx'
import { Button } from '../forms/button.tsx'
import { TextField } from '../forms/field.tsx'
import { DeviceChoices } from '../podcast/device-choices.tsx'
import { Candidates, DeadEnd, Matches, moveByArrows } from './add-results.tsx'
import { DirectoryHint } from './directory-hint.tsx'

interface AddFormProps {
  /** Text shared by another app. It is looked up at once, but podcasts are only added when the user asks. */
  readonly shared?: string
  /** Called after a podcast was added. */
  readonly onAdded: () => void
}

/** Milliseconds to wait after the last key before searching. */
const DEBOUNCE_MS = 300

type Found = { readonly kind: 'words'; readonly q: string } | { readonly kind: 'address'; readonly answer: Resolution }

/** Field for links of any kind and for names. Enter adds the podcast of a link or focuses the first match. */
export function AddForm({ shared = '', onAdded }: AddFormProps) {
  const container = useRef<HTMLElement>(null)
  const typed = useSignal(shared)
  const found = useSignal<Found | undefined>(undefined)
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const chosen = useSignal<ReadonlySet<string> | undefined>(undefined)
  const request = useRef<AbortController | undefined>(undefined)
  /** Whether the user submitted the form. False while text shared by another app is looked up. */
  const wasPressed = useRef(false)
  const search = useDebounce(DEBOUNCE_MS, () => {
    const q = typed.value.trim()
    if (q.length > 1 && !looksLikeAddress(q) && !isBusy.value) found.value = { kind: 'words', q }
  })
  useEffect(() => {
    void ensureSubscriptions().catch(() => undefined)
    if (shared !== '') void submit(false)
    return () => request.current?.abort()
  }, [])

  /** Discards the results of the previous text. While the user types words, matches stay until the next search. */
  function forget(): void {
    request.current?.abort()
    isBusy.value = false
    error.value = undefined
    if (looksLikeAddress(typed.value) || typed.value.trim() === '' || found.value?.kind === 'address')
      found.value = undefined
    search()
  }

  /** Looks up the text. If it is a link to a single podcast, adds the podcast unless `isToBeAdded` is false. */
  async function submit(isToBeAdded = true): Promise<void> {
    const text = typed.value.trim()
    wasPressed.current = isToBeAdded
    if (text === '') return
    if (!looksLikeAddress(text)) {
      found.value = { kind: 'words', q: text }
      focusMatch()
      return
    }
    await run(async (signal) => {
      const answer = await resolveText(text, signal)
      if (signal.aborted) return
      const [only, ...others] = answer.candidates
      if (answer.reason === 'words') found.value = { kind: 'words', q: text }
      else if (isToBeAdded && only && others.length === 0) await finish(only)
      else found.value = { kind: 'address', answer }
    })
  }

  const add = (podcast: Addition) => run(() => finish(podcast))

  async function finish(podcast: Addition): Promise<void> {
    await addPodcast(podcast, chosen.value)
    onAdded()
  }

  async function run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    request.current?.abort()
    request.current = controller
    isBusy.value = true
    error.value = undefined
    try {
      await work(controller.signal)
    } catch (reason) {
      if (!controller.signal.aborted) error.value = reason
    }
    if (request.current === controller) isBusy.value = false
  }

  function focusMatch(): void {
    container.current?.querySelector<HTMLElement>('.add-matches button')?.focus()
  }

  function startOver(): void {
    typed.value = ''
    found.value = undefined
    container.current?.querySelector('input')?.focus()
  }

  const isAddress = looksLikeAddress(typed.value)
  const answer = found.value?.kind === 'address' ? found.value.answer : undefined
  const hasCandidates = answer !== undefined && answer.candidates.length > 0
  // The submit button disappears and may have had the focus.
  useEffect(() => {
    if (hasCandidates && wasPressed.current) focusMatch()
  }, [hasCandidates])
  return (
    <search class="stack add" ref={container} onKeyDown={(event) => moveByArrows(event, container.current)}>
      <form
        class="add-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField
          label={hasDirectory() ? t('add.lead') : t('add.leadLink')}
          value={typed}
          onInput={forget}
          maxLength={4096}
          autoComplete="off"
        />
        {/* Each candidate has its own button. */}
        {!hasCandidates && (
          <Button kind="main" type="submit" isBusy={isBusy.value} disabled={typed.value.trim() === ''}>
            {isAddress || !hasDirectory() ? t('add.submit') : t('add.search')}
          </Button>
        )}
      </form>
      <Devices chosen={chosen} />
      <DirectoryHint />
      <p class="hidden-text" role="status">
        {isBusy.value ? t('add.looking') : ''}
      </p>
      <ErrorNotice text={errorMessage(error.value)} error={error.value} />
      {found.value?.kind === 'words' && <Matches q={found.value.q} isBusy={isBusy.value} onAdd={add} />}
      {hasCandidates && <Candidates candidates={answer.candidates} isBusy={isBusy.value} onAdd={add} />}
      {answer && answer.candidates.length === 0 && (
        <DeadEnd
          answer={answer}
          isBusy={isBusy.value}
          onRetry={() => void submit()}
          onAdd={() => add({ url: answer.address, title: '' })}
          onSearch={startOver}
        />
      )}
    </search>
  )
}

interface DevicesProps {
  /** IDs of the devices to add the podcast to; `undefined` for all. */
  readonly chosen: Signal<ReadonlySet<string> | undefined>
}

/** Note that podcasts are added to all devices, and a choice of devices. Hidden if all devices share subscriptions. */
function Devices({ chosen }: DevicesProps) {
  const all = podcastDevices(devices.value ?? [], groups.value)
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const isOpen = chosen.value !== undefined
  useEffect(() => {
    if (isOpen) chosen.value = selected.value
  }, [selected.value])
  if (deviceSets(all, groups.value).length < 2) return null

  function open(): void {
    selected.value = new Set(all.map(({ id }) => id))
    chosen.value = selected.value
  }

  if (isOpen) return <DeviceChoices devices={all} selected={selected} />
  return (
    <p class="add-devices muted small">
      {t('add.everywhere')}
      <Button kind="quiet" onClick={open}>
        {t('add.chooseDevices')}
      </Button>
    </p>
  )
}
