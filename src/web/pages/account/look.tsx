import { Checkbox, SelectField } from '../../parts/field.tsx'
import { Section } from '../../parts/section.tsx'
import { chooseLanguage } from '../../state/choose-language.ts'
import { shortcuts } from '../../state/shortcuts.ts'
import { type Theme, theme } from '../../state/theme.ts'
import { LANGUAGES, type Language, language, t } from '../../text/index.ts'

const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** What this browser keeps for itself. */
export function Look() {
  const { look } = t().account
  const { theme: themes, language: languageLabel, shortcuts: keys } = t().common
  return (
    <Section title={look.title} lead={look.lead}>
      <div class="look">
        <SelectField
          label={themes.label}
          value={theme.value}
          options={THEMES.map((value) => ({ value, label: themes[value] }))}
          onChoose={(value) => {
            theme.value = value
          }}
        />
        <SelectField<Language>
          label={languageLabel}
          value={language.value}
          options={languages()}
          onChoose={(value) => void chooseLanguage(value)}
        />
      </div>
      <div>
        <Checkbox
          label={keys.on}
          checked={shortcuts.value === 'on'}
          onChange={(isOn) => {
            shortcuts.value = isOn ? 'on' : 'off'
          }}
        />
        <p class="field-hint">{look.shortcutsHint}</p>
      </div>
    </Section>
  )
}

function languages(): { value: Language; label: string }[] {
  const { en, de, fr, es, it } = LANGUAGES
  return [
    { value: 'en', label: en },
    { value: 'de', label: de },
    { value: 'fr', label: fr },
    { value: 'es', label: es },
    { value: 'it', label: it },
  ]
}
