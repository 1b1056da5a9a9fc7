import { Elysia, t } from 'elysia'
import type { OwnAccount } from '../../../domain/accounts/account.ts'
import type { SingleSignOn } from '../../../domain/accounts/single-sign-on.ts'
import type { ExternalDirectory } from '../../../domain/directory/external.ts'
import type { ServerInfo } from '../../../domain/server/status.ts'
import { type AuthGuard, optionalAuthPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { AccountModel, SsoInfo, ssoInfo, toAccountJson } from '../../spec/accounts/account-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Server = objectSchema(
  {
    version: t.String(),
    registration: t.Union([t.Literal('open'), t.Literal('closed'), t.Literal('invite')], {
      description:
        'Who may make an account: anybody, nobody, or anybody who is then let in by mail or an administrator.',
    }),
    first_run: t.Boolean({
      description:
        'There is no account yet. The next one can be made whatever `registration` says, and becomes administrator.',
    }),
    mail: t.Boolean({ description: 'Whether a forgotten password can be reset by mail.' }),
    sso: SsoInfo,
    external_directory: t.Boolean({ description: 'Whether podcasts can be found that nobody on this server has.' }),
    account: t.Union([AccountModel, t.Null()], { description: 'Of whoever asks; null without credentials.' }),
    base_url: t.String({ description: 'The address of the server, for apps to be pointed at.' }),
  },
  { description: 'What there is to know before signing in.' },
)

const PATH = '/api/2/server'

export interface ServerRouteParts {
  readonly serverInfo: ServerInfo
  readonly ownAccount: OwnAccount
  readonly singleSignOn: SingleSignOn
  readonly externalDirectory: ExternalDirectory
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

export function serverRoutes(parts: ServerRouteParts) {
  const { serverInfo, ownAccount, singleSignOn, externalDirectory, authGuard, origins } = parts
  const { version, registration, canMail } = serverInfo
  return new Elysia().use(optionalAuthPlugin(authGuard)).get(
    PATH,
    async ({ request, principal }) => ({
      version,
      registration,
      first_run: await serverInfo.isFirstRun(),
      mail: canMail,
      sso: ssoInfo(singleSignOn),
      external_directory: externalDirectory.status().isOn,
      account: principal ? toAccountJson(principal.user, await ownAccount.hasPassword(principal.user)) : null,
      base_url: origins.baseOf(request),
    }),
    {
      isForAll: true,
      response: { 200: Server },
      detail: operation('Accounts', PATH, 'getServer', 'Read how to get in', {
        description: 'What a page that signs people in, or up, has to know.',
        'x-credentials': 'optional',
        'x-response': json({
          version: '0.1.0',
          registration: 'invite',
          first_run: false,
          mail: true,
          sso: { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' },
          external_directory: true,
          account: null,
          base_url: 'https://pods.example',
        }),
      }),
    },
  )
}
