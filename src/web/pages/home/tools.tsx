import { Segmented } from '../../parts/choices.tsx'
import { SearchBox } from '../../parts/field.tsx'
import { t } from '../../text/index.ts'
import { chosenDevice, device, filter, ORDERS, order, VIEWS, view } from './choice.ts'
import { DeviceChips } from './device-chips.tsx'

/** Which podcasts are shown, in which order, and how. */
export function Tools() {
  const texts = t().home
  function choose(value: string): void {
    order.value = ORDERS.find((each) => each === value) ?? 'title'
  }
  return (
    <>
      <div class="home-tools">
        <SearchBox
          label={texts.filter}
          value={filter.value}
          onInput={(value) => {
            filter.value = value
          }}
        />
        <select
          class="select"
          aria-label={texts.order}
          title={texts.order}
          value={order.value}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {ORDERS.map((value) => (
            <option key={value} value={value}>
              {texts.orders[value]}
            </option>
          ))}
        </select>
        <Segmented
          label={texts.view}
          value={view.value}
          options={VIEWS.map((value) => ({ value, label: texts.views[value] }))}
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
