import { isLanguage, LANGUAGES, language, t } from '../../locales/index.ts'
import { chooseLanguage, type Theme, theme } from '../../store/preferences.ts'

interface SegmentedProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChoose: (value: T) => void
}

/** A choice of one among a few, as buttons side by side. */
export function Segmented<T extends string>({ label, value, options, onChoose }: SegmentedProps<T>) {
  return (
    <fieldset class="segmented" aria-label={label}>
      {options.map((option) => (
        <button
          type="button"
          key={option.value}
          aria-pressed={option.value === value}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

export function ThemeChoice() {
  return (
    <select
      class="select"
      aria-label={t('common.theme.label')}
      value={theme.value}
      onChange={({ currentTarget: { value } }) => {
        theme.value = value as Theme
      }}
    >
      {(['auto', 'light', 'dark'] as const).map((each) => (
        <option key={each} value={each}>
          {t(`common.theme.${each}`)}
        </option>
      ))}
    </select>
  )
}

export function LanguageChoice() {
  return (
    <select
      class="select"
      aria-label={t('common.language')}
      value={language.value}
      onChange={({ currentTarget: { value } }) => void (isLanguage(value) && chooseLanguage(value))}
    >
      {LANGUAGES.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
