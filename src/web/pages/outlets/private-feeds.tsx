import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { AppPasswordList } from '../../components/app-password-list.tsx'
import { Notice, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { FormDialog } from '../../components/forms/dialog.tsx'
import { CopyField, TextField } from '../../components/forms/field.tsx'
import { Section, Skeleton } from '../../components/layout/page.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { loadServer, server } from '../../store/session.ts'
import { addressesForApps } from '../connect/connection.ts'
import { feedAddress, tagFeed } from './outlets.ts'

type MadeFeeds = Answer<'createAppPassword'>

/** Addresses for apps that cannot sync. Each app gets its own, which are shown once. */
export function PrivateFeeds() {
  const query = useQuery((signal) => call('listAppPasswords', { signal }))
  useHints(['app-passwords'], query.reload)
  const made = useSignal<MadeFeeds | undefined>(undefined)
  const isOpen = useSignal(false)
  const name = useSignal('')
  const list = query.data.value?.filter(({ scope }) => scope === 'feeds')

  async function make(): Promise<void> {
    made.value = await call('createAppPassword', { body: { name: name.value, scope: 'feeds' } })
  }

  return (
    <Section title={t('outlets.feeds.title')} lead={t('outlets.feeds.lead')}>
      <QueryState query={query} skeleton={<Skeleton height="3.5rem" />} />
      {list?.length === 0 && !made.value && <p>{t('outlets.feeds.none')}</p>}
      {list && list.length > 0 && (
        <AppPasswordList list={list} warning={t('outlets.feeds.revokeText')} onRevoke={query.reload} />
      )}
      <div class="row">
        <Button
          icon="plus"
          onClick={() => {
            name.value = ''
            isOpen.value = true
          }}
        >
          {t('outlets.feeds.make')}
        </Button>
      </div>
      <div role="status">{made.value && <Addresses made={made.value} key={made.value.id} />}</div>
      {isOpen.value && (
        <FormDialog
          title={t('outlets.feeds.make')}
          submit={t('outlets.feeds.create')}
          errorScope="account"
          onSubmit={make}
          onClose={setTo(isOpen, false)}
          onDone={() => void query.reload()}
        >
          <TextField
            label={t('outlets.feeds.name')}
            hint={t('outlets.feeds.nameHint')}
            required
            maxLength={100}
            isProse
            value={name}
          />
        </FormDialog>
      )}
    </Section>
  )
}

function Addresses({ made: { name, addresses } }: { made: MadeFeeds }) {
  const tag = useSignal('')
  // Optional: the addresses work with what is known without it.
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
      <Address label={t('outlets.feeds.opml')} text={address(addresses.subscriptions)} />
      <TextField label={t('outlets.feeds.tag')} hint={t('outlets.feeds.tagHint')} isOptional value={tag} />
      {tag.value.trim() !== '' && (
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
