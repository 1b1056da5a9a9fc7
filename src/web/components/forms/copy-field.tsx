import { useState } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Button } from './button.tsx'

/** A text with a button that copies it. Without https, browsers may not allow that; then the text is selected to be copied by hand. */
export function CopyField({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)

  async function copy(event: Event): Promise<void> {
    const code = (event.currentTarget as HTMLElement).parentElement?.querySelector('code')
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else if (code) {
      getSelection()?.selectAllChildren(code)
      document.execCommand('copy')
    }
    setCopied(true)
  }

  return (
    <div class="copy-field">
      <span class="hidden-text">{label}</span>
      <code>{text}</code>
      <Button kind="quiet" icon={isCopied ? 'check' : 'copy'} onClick={copy} aria-live="polite">
        {isCopied ? t('common.copied') : t('common.copy')}
      </Button>
    </div>
  )
}
