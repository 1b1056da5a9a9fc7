import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface ChoiceProps<T extends string, L = string> {
  readonly label: string
  readonly value: T
  readonly options: readonly Option<T, L>[]
  readonly onChoose: (value: T) => void
}

interface Option<T extends string, L> {
  readonly value: T
  readonly label: L
  /** Tooltip for a label that may be truncated. */
  readonly title?: string
  /** Language of the label if it differs from the page. */
  readonly lang?: string
}

interface SelectProps<T extends string> extends Omit<ChoiceProps<T>, 'label'> {
  /** Accessible name if there is no visible label. */
  readonly label?: string
  readonly title?: string
  readonly class?: string
  readonly id?: string
  readonly 'aria-describedby'?: string | undefined
}

/** Dropdown list without a visible label. `SelectField` has one. */
export function Select<T extends string>({ label, options, value, onChoose, ...rest }: SelectProps<T>) {
  function choose(text: string): void {
    const chosen = options.find((option) => option.value === text)
    if (chosen) onChoose(chosen.value)
  }
  return (
    <select
      class="select"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      {...rest}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} lang={option.lang}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

type SelectFieldProps<T extends string> = ChoiceProps<T> & { readonly hint?: ComponentChildren }

export function SelectField<T extends string>({ label, hint, ...choice }: SelectFieldProps<T>) {
  const id = useId()
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <Select {...choice} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint && (
        <span class="muted small" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

type ButtonChoiceProps<T extends string> = ChoiceProps<T, ComponentChildren> & { readonly class: string }

/** Choice of one option, as a row of buttons: joined with the class `segmented`, otherwise chips. */
export function ButtonChoice<T extends string>({ label, options, value, onChoose, ...rest }: ButtonChoiceProps<T>) {
  return (
    <fieldset class={rest.class} aria-label={label}>
      {options.map((option) => (
        <button
          type="button"
          class={rest.class === 'segmented' ? undefined : 'chip chip-choice'}
          key={option.value}
          title={option.title}
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

interface CheckboxProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

type SwitchProps = CheckboxProps & {
  readonly hint: ComponentChildren
  readonly isBusy?: boolean
}

/** Checkbox that takes effect immediately. */
export function Switch({ label, hint, checked, isBusy = false, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={isBusy}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        <div class="muted small" id={`${id}-hint`}>
          {hint}
        </div>
      </div>
    </div>
  )
}
