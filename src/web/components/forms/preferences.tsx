import { LANGUAGES, language, t } from '../../locales/index.ts'
import { chooseLanguage, shortcuts, type Theme, theme } from '../../store/preferences.ts'
import { Checkbox } from './choice.tsx'

const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** Properties of a choice of the theme, such as `SelectField` or `MenuChoice`. */
export function themeChoice() {
  return {
    label: t('common.theme.label'),
    value: theme.value,
    options: THEMES.map((value) => ({ value, label: t(`common.theme.${value}`) })),
    onChoose(value: Theme): void {
      theme.value = value
    },
  }
}

/** Properties of a choice of the language. Each language has its own name as label. */
export function languageChoice() {
  return {
    label: t('common.language'),
    value: language.value,
    options: LANGUAGES.map(({ code, name }) => ({ value: code, label: name, lang: code })),
    onChoose: chooseLanguage,
  }
}

/** Checkbox that turns keyboard shortcuts on or off. */
export function ShortcutsChoice() {
  return (
    <Checkbox
      label={t('common.shortcuts.on')}
      checked={shortcuts.value === 'on'}
      onChange={(isOn) => {
        shortcuts.value = isOn ? 'on' : 'off'
      }}
    />
  )
}
