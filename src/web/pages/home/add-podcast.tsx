import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'
import { Button } from '../../components/forms/button.tsx'
import { Dialog, DialogActions } from '../../components/forms/dialog.tsx'
import { TextField } from '../../components/forms/field.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

/** Opens the page of a podcast by its feed URL, or searches for any other text. */
export function AddPodcast({ onClose }: { onClose: () => void }) {
  const { route } = useLocation()
  const typed = useSignal('')
  const error = useSignal<string | undefined>(undefined)

  function submit(event: Event): void {
    event.preventDefault()
    const text = typed.value.trim()
    const isAddress = /^[a-z]+:\/\//i.test(text)
    const url = isAddress ? sanitizeUrl(text) : undefined
    if (isAddress && url === undefined) error.value = t('home.addBad')
    else if (text !== '') {
      onClose()
      route(url === undefined ? `${href('/discover')}?q=${encodeURIComponent(text)}` : podcastHref(url))
    }
  }

  return (
    <Dialog title={t('home.add')} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField
          label={t('home.addLead')}
          placeholder="https://"
          value={typed.value}
          error={error.value}
          required
          onInput={(value) => {
            typed.value = value
            error.value = undefined
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" kind="main" icon="forward">
            {t('home.addOpen')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
