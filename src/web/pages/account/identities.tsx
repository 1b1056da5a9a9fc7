import { useSignal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Section } from '../../parts/section.tsx'
import { href } from '../../state/base.ts'
import { useQuery } from '../../state/query.ts'
import { server } from '../../state/server.ts'
import { toast } from '../../state/toasts.ts'
import { date, fill, t } from '../../text/index.ts'
import { accountRefusal, providerName } from './words.ts'

type Identity = Answer<'listIdentities'>[number]

interface IdentitiesProps {
  readonly identities: readonly Identity[]
  readonly onChange: () => Promise<void>
}

/** Accounts at a provider that lead in here. Nothing on servers without one. */
export function Identities({ identities, onChange }: IdentitiesProps) {
  const texts = t().account.identities
  const asked = useSignal<Identity | undefined>(undefined)
  const failure = useQuery('error')
  const isOn = server.value?.sso.enabled === true
  const provider = providerName()
  if (!isOn && identities.length === 0) return null
  return (
    <Section title={texts.title} lead={fill(texts.lead, { provider })}>
      {failure !== '' && (
        <Notice kind="error">
          <p>{t().door.errors[failure] ?? texts.failed}</p>
        </Notice>
      )}
      {identities.length === 0 && <p>{texts.none}</p>}
      {identities.length > 0 && (
        <ul class="rows">
          {identities.map((identity) => (
            <li key={identity.id} class="row-apart">
              <div>
                <h3>{hostOf(identity.issuer)}</h3>
                <p class="muted small">
                  <bdi>{identity.subject}</bdi> · {fill(texts.linked, { date: date(identity.linked) })}
                </p>
              </div>
              <Button
                kind="quiet"
                onClick={() => {
                  asked.value = identity
                }}
              >
                {texts.unlink}
                <span class="hidden-text">: {hostOf(identity.issuer)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isOn && (
        <div class="row">
          {/* The server puts its own sub-path in front of the address to come back to. */}
          <ButtonLink icon="connect" href={`${href('/auth/sso/login')}?link=1&return_to=/account`} isServers>
            {fill(texts.link, { provider })}
          </ButtonLink>
        </div>
      )}
      {asked.value && (
        <Unlink
          identity={asked.value}
          onClose={() => {
            asked.value = undefined
          }}
          onDone={() => {
            toast(texts.unlinked)
            void onChange()
          }}
        />
      )}
    </Section>
  )
}

interface UnlinkProps {
  readonly identity: Identity
  readonly onClose: () => void
  readonly onDone: () => void
}

function Unlink({ identity: { id, issuer }, onClose, onDone }: UnlinkProps) {
  const texts = t().account.identities
  return (
    <FormDialog
      title={fill(texts.unlinkTitle, { issuer: hostOf(issuer) })}
      submit={texts.unlink}
      wordsFor={accountRefusal}
      onSubmit={() => call('unlinkIdentity', { path: { id } })}
      onClose={onClose}
      onDone={onDone}
    >
      <p>{texts.unlinkText}</p>
    </FormDialog>
  )
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host || issuer
}
