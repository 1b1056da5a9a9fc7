import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { AppPasswordList } from '../../components/app-password-list.tsx'
import { Notice, QueryState } from '../../components/feedback/notice.tsx'
import { SelectField } from '../../components/forms/choice.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { NewAppPassword } from '../../components/new-app-password.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { loadServer, server } from '../../store/session.ts'
import { ensureFolders, folders } from '../../store/sync/folders.ts'
import { addressesForApps } from '../connect/connection.ts'
import { feedAddress, folderFeed, tagFeed } from './outlets.ts'

type CreatedFeeds = Answer<'createAppPassword'>

/** Addresses for apps that cannot sync. Each app gets separate addresses, which are shown only once. */
export function PrivateFeeds() {
  const query = useQuery((signal) => call('listAppPasswords', { signal }))
  useHints(['app-passwords'], query.reload)
  const list = query.data.value?.filter(({ scope }) => scope === 'feeds')

  return (
    <Section title={t('outlets.feeds.title')} lead={t('outlets.feeds.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" />} />
      {list?.length === 0 && <p>{t('outlets.feeds.none')}</p>}
      {list && list.length > 0 && (
        <AppPasswordList list={list} warning={t('outlets.feeds.revokeText')} onRevoke={query.reload} />
      )}
      <NewAppPassword
        texts={{
          make: t('outlets.feeds.make'),
          title: t('outlets.feeds.make'),
          submit: t('outlets.feeds.create'),
          name: t('outlets.feeds.name'),
          nameHint: t('outlets.feeds.nameHint'),
        }}
        scopes={['feeds']}
        onMade={query.reload}
      >
        {(made) => <Addresses made={made} key={made.id} />}
      </NewAppPassword>
    </Section>
  )
}

function Addresses({ made: { name, addresses } }: { made: CreatedFeeds }) {
  const tag = useSignal('')
  const folder = useSignal('')
  // Optional, like the folders: without tags, there is no choice of tags.
  const tags = useQuery((signal) => call('listOwnTags', { signal })).data.value ?? []
  useQuery(ensureFolders)
  // Optional: without it, addresses are shown as the server returned them.
  useQuery(loadServer)
  if (!addresses) return null
  const [reachable] = addressesForApps(document.baseURI, server.value)
  const address = (url: string) =>
    reachable === undefined ? url : feedAddress(url, server.value?.base_url ?? '', reachable)
  return (
    <div class="stack">
      <Notice>{t('outlets.feeds.made', { name })}</Notice>
      <Address label={t('outlets.feeds.new')} text={address(addresses.new)} />
      {reachable !== undefined && (
        <QrCode text={address(addresses.new)} label={t('outlets.feeds.qr')} hint={t('outlets.feeds.qrHint')} />
      )}
      <Address label={t('outlets.feeds.inProgress')} text={address(addresses.in_progress)} />
      <Address label={t('outlets.feeds.queue')} text={address(addresses.queue)} />
      <Address label={t('outlets.feeds.opml')} text={address(addresses.subscriptions)} />
      {folders.value && folders.value.length > 0 && (
        <SelectField
          label={t('outlets.feeds.folder')}
          value={folder.value}
          options={[
            { value: '', label: t('outlets.feeds.noFolder') },
            ...folders.value.map(({ id, name: label }) => ({ value: String(id), label })),
          ]}
          onChoose={setter(folder)}
        />
      )}
      {folder.value !== '' && (
        <CopyField text={folderFeed(address(addresses.folder), folder.value)} label={t('outlets.feeds.folder')} />
      )}
      {tags.length > 0 && (
        <SelectField
          label={t('outlets.feeds.tag')}
          value={tag.value}
          options={[
            { value: '', label: t('outlets.feeds.noTopic') },
            ...tags.map((each) => ({ value: each.tag, label: each.title })),
          ]}
          onChoose={setter(tag)}
        />
      )}
      {tag.value !== '' && (
        <CopyField text={tagFeed(address(addresses.tag), tag.value)} label={t('outlets.feeds.tag')} />
      )}
    </div>
  )
}

function Address({ label, text }: { label: string; text: string }) {
  return (
    <div class="stack-small">
      <p class="field-label">{label}</p>
      <CopyField text={text} label={label} />
    </div>
  )
}
