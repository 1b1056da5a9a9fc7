import { useLocation } from 'preact-iso'
import { AddForm } from '../../components/add/add-form.tsx'
import { Page } from '../../components/layout/page.tsx'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'

/** Adds a podcast. Other apps may share an address, or a text or title that contains one. */
export default function Add() {
  const { route } = useLocation()
  const [url, text, title] = [useSearchParam('url'), useSearchParam('text'), useSearchParam('title')]
  const shared = url || text || title
  return (
    <Page title={t('add.title')}>
      <div class="add-page">
        <AddForm key={shared} shared={shared} onAdded={() => route(href('/'))} />
      </div>
    </Page>
  )
}
