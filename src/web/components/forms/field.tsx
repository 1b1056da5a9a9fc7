import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Icon } from '../icon.tsx'

interface InputProps {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly name?: string
  readonly placeholder?: string
  readonly disabled?: boolean
}

interface TextFieldProps extends InputProps {
  readonly label: string
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'date'
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly isOptional?: boolean
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  /** The `autocomplete` attribute, for password managers: `username`, `current-password`. */
  readonly autoComplete?: string
  /** Whether keyboards may correct the text; not so for names and addresses. */
  readonly isProse?: boolean
}

/** A text input with its label, hint and error. */
export function TextField(props: TextFieldProps) {
  const { label, type = 'text', hint, error, isOptional = false, isProse = false, value, onInput } = props
  const id = useId()
  // Preact's types allow different attributes for each type of input; this component is for several.
  const typed: object = { type }
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label} {isOptional && <span class="muted small">({t('common.optional')})</span>}
      </label>
      <input
        class="input"
        id={id}
        {...typed}
        value={value}
        name={props.name}
        required={props.required ?? false}
        disabled={props.disabled ?? false}
        minLength={props.minLength}
        maxLength={props.maxLength}
        placeholder={props.placeholder}
        autoComplete={props.autoComplete ?? 'off'}
        autoCapitalize={isProse ? 'sentences' : 'none'}
        spellcheck={isProse}
        aria-invalid={error !== undefined}
        aria-describedby={described || undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {hint && (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="field-error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  )
}

interface SelectFieldProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChoose: (value: T) => void
  readonly hint?: ComponentChildren
}

export function SelectField<T extends string>({ label, hint, options, value, onChoose }: SelectFieldProps<T>) {
  const id = useId()
  function choose(text: string): void {
    const chosen = options.find((option) => option.value === text)
    if (chosen) onChoose(chosen.value)
  }
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <select
        class="select"
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint && (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

interface CheckboxProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

export function Checkbox({ label, checked, onChange, disabled = false }: CheckboxProps) {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}

/** A search field. The `/` key focuses the first one of the page. */
export function SearchBox({ label, value, onInput, placeholder }: InputProps & { readonly label: string }) {
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        data-search=""
        // The server uses no more, and Chinese characters take nine times the space in a URL.
        maxLength={500}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  )
}
