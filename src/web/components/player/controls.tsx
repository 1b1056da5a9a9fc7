import { useSignal } from '@preact/signals'
import { setTo } from '../../hooks/setters.ts'
import { number, t } from '../../locales/index.ts'
import { following } from '../../store/episodes/following.ts'
import { nextInQueue } from '../../store/episodes/next.ts'
import { queue } from '../../store/episodes/queue.ts'
import type { Playable, Playing } from '../../store/playback/playable.ts'
import { SKIP_CHOICES, type Skips } from '../../store/playback/skips.ts'
import { SLEEP_MINUTES, SLEEP_MINUTES_MAX } from '../../store/playback/sleep.ts'
import { BACK, FORWARD, SPEEDS } from '../../store/playback/speeds.ts'
import { player } from '../../store/player.ts'
import { keepsPlaying } from '../../store/sync/account-settings.ts'
import { Button } from '../forms/button.tsx'
import { Select, SelectField } from '../forms/choice.tsx'
import { FormDialog } from '../forms/dialog.tsx'
import { TextField } from '../forms/field.tsx'
import { restoreFocus } from '../forms/focus.ts'
import { Icon } from '../icon.tsx'
import { browserEngine as engine } from './audio.tsx'

/** Closes the player. Moves the focus to the heading because the pressed button disappears with the player. */
export function stopPlaying(): void {
  engine.close()
  restoreFocus(document.querySelector('h1'))
}

interface KeysProps {
  readonly playing: Playing
  /** Opens the queue. Omitted if there is no room for the button. */
  readonly onQueue?: () => void
}

/** Buttons: queue, back, play or pause, forward, next episode. */
export function Keys({ playing: { status, episode }, onQueue }: KeysProps) {
  const next = nextOf(episode)
  const isRunning = status === 'playing' || status === 'loading'
  return (
    <div class="player-keys">
      {onQueue && (
        <span class="player-side">
          <Button kind="quiet" icon="queue" label={t('queue.title')} onClick={onQueue} />
        </span>
      )}
      <SkipButton seconds={-BACK} />
      <button
        type="button"
        class="play-round play-main"
        aria-label={isRunning ? t('player.pause') : t('player.play')}
        title={isRunning ? t('player.pause') : t('player.play')}
        data-busy={status === 'loading'}
        onClick={() => engine.toggle()}
      >
        <Icon name={isRunning ? 'pause' : 'play'} />
      </button>
      <SkipButton seconds={FORWARD} />
      <span class="player-side">
        <Button
          kind="quiet"
          icon="next"
          label={next === undefined ? t('queue.next') : t('common.pair', { what: t('queue.next'), value: next })}
          disabled={next === undefined}
          onClick={() => engine.next()}
        />
      </span>
    </div>
  )
}

/** Returns the title of the episode that plays next, if known. */
function nextOf({ url }: Playable): string | undefined {
  const queued = nextInQueue(queue.value ?? [], url)
  return queued?.episode.title ?? (keepsPlaying.value ? following.value[0]?.title : undefined)
}

function SkipButton({ seconds }: { seconds: number }) {
  const n = Math.abs(seconds)
  const label = seconds < 0 ? t('player.back', { n }) : t('player.forward', { n })
  return (
    <button
      type="button"
      class="player-skip"
      data-forward={seconds > 0}
      disabled={!player.isSeekable.value}
      aria-label={label}
      title={label}
      onClick={() => engine.seek(player.position.value + seconds)}
    >
      <Icon name="rewind" />
      <span aria-hidden="true">{number(n)}</span>
    </button>
  )
}

const speedText = (speed: number) => `${number(speed)}×`

/** Speed of the current podcast. */
export function Speed() {
  return (
    <Select
      class="select player-speed"
      label={t('player.speed')}
      title={t('player.speed')}
      value={String(player.speed.value)}
      options={SPEEDS.map((speed) => ({ value: String(speed), label: speedText(speed) }))}
      onChoose={(speed) => engine.setSpeed(Number(speed))}
    />
  )
}

/** Button that makes the current speed the default for podcasts without their own. Hidden if it is the default. */
export function SpeedForAll() {
  if (player.speed.value === player.usualSpeed.value) return null
  return (
    <Button kind="quiet" onClick={() => engine.makeSpeedUsual()}>
      {t('player.speedForAll', { speed: speedText(player.speed.value) })}
    </Button>
  )
}

export function SleepTimer() {
  const isOwnOpen = useSignal(false)
  const choice = player.sleep.value?.choice
  const isListed = choice === undefined || choice === 'end' || SLEEP_MINUTES.some((each) => each === choice)
  const offered = isListed ? SLEEP_MINUTES : [...SLEEP_MINUTES, choice]

  function choose(text: string): void {
    if (text === OWN) isOwnOpen.value = true
    else engine.setSleep(text === 'end' ? 'end' : text === '' ? undefined : Number(text))
  }

  return (
    <>
      <Select
        class="select player-sleep"
        label={t('player.sleep.title')}
        title={t('player.sleep.title')}
        value={String(choice ?? '')}
        options={[
          { value: '', label: t('player.sleep.off') },
          ...offered.map((n) => ({ value: String(n), label: minutes(n) })),
          { value: 'end', label: t('player.sleep.end') },
          { value: OWN, label: t('player.sleep.own') },
        ]}
        onChoose={choose}
      />
      {isOwnOpen.value && <OwnSleep onClose={setTo(isOwnOpen, false)} />}
    </>
  )
}

const OWN = 'own'

/** Dialog that asks for a number of minutes. */
function OwnSleep({ onClose }: { readonly onClose: () => void }) {
  const text = useSignal('')
  const entered = /^\d+$/.test(text.value.trim()) ? Number(text.value) : 0
  return (
    <FormDialog
      title={t('player.sleep.title')}
      submit={t('player.sleep.start')}
      isReady={entered >= 1 && entered <= SLEEP_MINUTES_MAX}
      onSubmit={async () => engine.setSleep(entered)}
      onClose={onClose}
    >
      <TextField
        label={t('player.sleep.minutes')}
        hint={t('player.sleep.range', { n: number(SLEEP_MINUTES_MAX) })}
        value={text}
        inputMode="numeric"
        autoComplete="off"
        required
      />
    </FormDialog>
  )
}

/** Seconds to skip at the start and the end of each episode of the podcast. */
export function SkipChoices() {
  const skips = player.skips.value
  return (
    <>
      <SkipChoice end="intro" skips={skips} />
      <SkipChoice end="outro" skips={skips} />
    </>
  )
}

function SkipChoice({ end, skips }: { readonly end: keyof Skips; readonly skips: Skips }) {
  const own = skips[end]
  const choices = SKIP_CHOICES.some((each) => each === own) ? SKIP_CHOICES : [...SKIP_CHOICES, own]
  return (
    <SelectField
      label={t(`player.skip.${end}`)}
      value={String(own)}
      options={choices.map((n) => ({
        value: String(n),
        label: n === 0 ? t('player.skip.nothing') : t('common.duration.seconds', { n }),
      }))}
      onChoose={(seconds) => engine.setSkips({ ...skips, [end]: Number(seconds) })}
    />
  )
}

/** Button in the player bar with the time left of the sleep timer. Hidden if the timer is off. */
export function SleepMark({ onClick }: { onClick: () => void }) {
  const sleep = player.sleep.value
  if (!sleep) return null
  const remaining = sleep.minutesLeft === undefined ? t('player.sleep.end') : minutes(sleep.minutesLeft)
  return (
    <Button
      kind="quiet"
      icon="moon"
      label={t('common.pair', { what: t('player.sleep.title'), value: remaining })}
      onClick={onClick}
    />
  )
}

function minutes(n: number): string {
  return t('common.duration.minutes', { n })
}
