import { devices } from '../../state/subscriptions.ts'
import { t } from '../../text/index.ts'

/** Which device's podcasts are shown; where there is only one there is nothing to choose. */
export function DeviceChips({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  const all = devices.value ?? []
  if (all.length < 2) return null
  const choices = [{ id: '', caption: t().home.allDevices }, ...all]
  return (
    <fieldset class="home-devices" aria-label={t().home.device}>
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
