import { useSignal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { useKeptFocus } from '../../parts/kept-focus.ts'
import { language, number, plural, t } from '../../text/index.ts'
import { type countStates, type Row, STATES, type State } from './dry-run.ts'

/** Rows shown at first and with each request for more: thousands at once make phones slow. */
const STEP = 25

const LOOKS: Readonly<Record<State, string>> = {
  new: 'chip-good',
  known: '',
  duplicate: 'chip-warn',
  invalid: 'chip-bad',
}

interface PreviewTableProps {
  readonly rows: readonly Row[]
  readonly counts: ReturnType<typeof countStates>
}

/** Every entry with what would become of it; all, or those of one kind. */
export function PreviewTable({ rows, counts }: PreviewTableProps) {
  const texts = t().transfer
  const only = useSignal<State | undefined>(undefined)
  const limit = useSignal(STEP)
  const chosen = only.value === undefined ? rows : rows.filter(({ state }) => state === only.value)
  const rest = chosen.length - limit.value
  const table = useKeptFocus<HTMLDivElement>(limit.value > STEP ? limit.value : undefined)

  function choose(state: State | undefined): void {
    only.value = state
    limit.value = STEP
  }

  return (
    <>
      <fieldset class="row import-states" aria-label={texts.show}>
        <StateChoice
          label={texts.all}
          count={rows.length}
          isChosen={only.value === undefined}
          onChoose={() => choose(undefined)}
        />
        {STATES.filter((state) => counts[state] > 0).map((state) => (
          <StateChoice
            key={state}
            label={texts.states[state]}
            count={counts[state]}
            isChosen={only.value === state}
            onChoose={() => choose(state)}
          />
        ))}
      </fieldset>
      <div class="table-frame import-table" tabIndex={-1} ref={table}>
        <table class="table">
          <caption class="hidden-text">{texts.preview}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.podcast}</th>
              <th scope="col">{texts.verdict}</th>
            </tr>
          </thead>
          <tbody>
            {chosen.slice(0, limit.value).map(({ state, url, title }, index) => (
              // The same address may stand there many times.
              <tr key={index}>
                <th scope="row">
                  <div class="import-podcast">
                    {title !== '' && (
                      <span class="import-title" dir="auto">
                        {title}
                      </span>
                    )}
                    <span class="import-url small muted" dir="ltr">
                      {url}
                    </span>
                  </div>
                </th>
                <td>
                  <span class={`chip ${LOOKS[state]}`}>{texts.states[state]}</span>
                  {state === 'invalid' && <span class="import-reason small muted">{texts.invalid}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <p>
          <Button
            kind="quiet"
            onClick={() => {
              limit.value += STEP
            }}
          >
            {plural(texts.more, Math.min(STEP, rest), language.value)}
          </Button>
        </p>
      )}
    </>
  )
}

interface StateChoiceProps {
  readonly label: string
  readonly count: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function StateChoice({ label, count, isChosen, onChoose }: StateChoiceProps) {
  return (
    <button type="button" class="chip chip-choice" aria-pressed={isChosen} onClick={onChoose}>
      {label} <strong>{number(count)}</strong>
    </button>
  )
}
