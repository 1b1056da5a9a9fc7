import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Icon } from '../icon.tsx'
import { Button } from './button.tsx'

interface InputProps {
  readonly value: Signal<string>
  readonly name?: string
  readonly placeholder?: string
}

/** Attributes of inputs used on several pages. Password managers rely on them. */
const KINDS = {
  username: { name: 'username', autoComplete: 'username', required: true },
  email: { type: 'email', name: 'email', autoComplete: 'email' },
  password: { type: 'password', name: 'password', autoComplete: 'current-password' },
  code: { name: 'code', autoComplete: 'one-time-code', inputMode: 'numeric', required: true, maxLength: 20 },
  recoveryCode: { name: 'code', autoComplete: 'one-time-code', required: true, maxLength: 40 },
  /** The lengths match the limits of the server. */
  newPassword: { type: 'password', autoComplete: 'new-password', required: true, minLength: 4, maxLength: 256 },
} as const satisfies Readonly<Record<string, Partial<TextFieldProps>>>

interface TextFieldProps extends InputProps {
  readonly label: string
  /** Preset attributes. Explicit attributes override them. */
  readonly kind?: keyof typeof KINDS
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'date'
  readonly hint?: ComponentChildren
  /** Error message; not shown if empty. */
  readonly error?: string | undefined
  readonly isOptional?: boolean
  readonly required?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly autoComplete?: string
  /** Keyboard on phones. */
  readonly inputMode?: 'numeric'
  /** Allows autocorrection. Off for names and addresses. */
  readonly isProse?: boolean
  /** Called after `value` has changed. */
  readonly onInput?: () => void
}

/** Text input with label, hint and error. */
export function TextField({ kind, ...own }: TextFieldProps) {
  const props: TextFieldProps = { ...(kind && KINDS[kind]), ...own }
  const { label, type = 'text', isOptional = false, isProse = false, value } = props
  const id = useId()
  const [isShown, setShown] = useState(false)
  const [refusal, setRefusal] = useState('')
  const error = refusal || props.error
  // The error replaces the hint because it includes it.
  const hint = error ? undefined : props.hint
  // Preact's types allow different attributes for each type of input, but this component supports several types.
  const typed: object = { type: isShown ? 'text' : type }
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label} {isOptional && <span class="muted small">({t('common.optional')})</span>}
      </label>
      <div class="field-box">
        <input
          class="input"
          id={id}
          {...typed}
          value={value.value}
          name={props.name}
          required={props.required ?? false}
          minLength={props.minLength}
          maxLength={props.maxLength}
          placeholder={props.placeholder}
          autoComplete={props.autoComplete ?? 'off'}
          inputMode={props.inputMode}
          autoCapitalize={isProse ? 'sentences' : 'none'}
          spellcheck={isProse}
          aria-invalid={Boolean(error)}
          aria-describedby={described || undefined}
          onInput={({ currentTarget }) => {
            value.value = currentTarget.value
            setRefusal('')
            props.onInput?.()
          }}
          onInvalid={(event) => {
            // Shows the message below the field instead of in a browser bubble.
            event.preventDefault()
            const { currentTarget: field } = event
            setRefusal(refusalOf(field))
            if (field.form?.querySelector(':invalid:not(fieldset)') === field) field.focus()
          }}
        />
        {type === 'password' && (
          <button
            type="button"
            class="field-reveal"
            aria-label={t('common.reveal')}
            title={t('common.reveal')}
            aria-pressed={isShown}
            aria-controls={id}
            onClick={() => setShown(!isShown)}
          >
            <Icon name={isShown ? 'eyeOff' : 'eye'} />
          </button>
        )}
      </div>
      {hint && (
        <span class="muted small" id={`${id}-hint`}>
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

/** Returns the validation message of an input, in the client's language for known errors. */
function refusalOf({ type, validity, minLength, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing) return t('common.invalid.required')
  if (validity.tooShort) return t('common.invalid.short', { n: minLength })
  if (validity.typeMismatch) return type === 'url' ? t('common.invalid.url') : t('common.invalid.email')
  return validationMessage
}

type SearchBoxProps = Pick<InputProps, 'value' | 'placeholder'> & {
  readonly label: string
  /** Called after `value` has changed. */
  readonly onInput?: (text: string) => void
  readonly onFocus?: () => void
}

/** Search field. The `/` key focuses the first one on the page. */
export function SearchBox({ label, value, onInput, onFocus, placeholder }: SearchBoxProps) {
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        data-search=""
        // The server ignores the rest, and Chinese characters take nine characters each in a URL.
        maxLength={500}
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
          onInput?.(currentTarget.value)
        }}
        onFocus={onFocus}
      />
    </div>
  )
}

interface CopyFieldProps {
  readonly text: string
  /** Label for screen readers. */
  readonly label: string
  /** Button label, if “Copy” is too vague. */
  readonly action?: string
}

/** Text with a copy button. Without https, browsers have no clipboard API; the text is then selected and copied. */
export function CopyField({ text, label, action }: CopyFieldProps) {
  const [isCopied, setCopied] = useState(false)

  async function copy(event: Event): Promise<void> {
    const code = (event.currentTarget as HTMLElement).parentElement?.querySelector('code')
    const isWritten = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    if (!isWritten && code) getSelection()?.selectAllChildren(code)
    // If this fails too, the text stays selected.
    setCopied(isWritten || document.execCommand('copy'))
  }

  return (
    <div class="copy-field">
      <span class="hidden-text">{label}</span>
      <code>{text}</code>
      <Button
        kind="quiet"
        icon={isCopied ? 'check' : 'copy'}
        tooltip={action ?? t('common.copy')}
        onClick={copy}
        aria-live="polite"
      >
        <span class="copy-label">{isCopied ? t('common.copied') : (action ?? t('common.copy'))}</span>
      </Button>
    </div>
  )
}
