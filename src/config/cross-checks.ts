import { type Config, isOptional, type Key, keys, settings } from './options.ts'

interface Findings {
  readonly issues: readonly string[]
  readonly warnings: readonly string[]
}

/** Settings that do nothing, or nothing good, without another one.  */
const NEEDS: readonly { readonly key: Key; readonly needs: Key; readonly why: string }[] = [
  { key: 'smtp_user', needs: 'smtp_password', why: 'the mail server asks for both' },
  { key: 'smtp_password', needs: 'smtp_user', why: 'the mail server asks for both' },
  { key: 'smtp_host', needs: 'smtp_from', why: 'mails need a sender' },
  { key: 'oidc_issuer', needs: 'oidc_client_id', why: 'the provider must know who asks' },
  { key: 'oidc_issuer', needs: 'base_url', why: 'the provider must know one fixed return address' },
  { key: 'directory_key', needs: 'directory_secret', why: 'the directory asks for both' },
  { key: 'directory_secret', needs: 'directory_key', why: 'the directory asks for both' },
]

/** Settings that belong to a feature which only its head turns on. */
const FEATURES: readonly { readonly prefix: string; readonly head: Key; readonly off: string }[] = [
  { prefix: 'smtp_', head: 'smtp_host', off: 'no mail is sent without it' },
  { prefix: 'oidc_', head: 'oidc_issuer', off: 'single sign-on is off without it' },
]

/**
 * Judges settings that are right one by one but not together. `isGiven` tells whether a key was set at all, rightly or wrongly,
 * so that a mistyped value does not also count as missing.
 */
export function crossCheck(config: Config, isGiven: (key: Key) => boolean): Findings {
  const issues = NEEDS.filter(({ key, needs }) => isGiven(key) && !isGiven(needs)).map(
    ({ key, needs, why }) => `${key} is set but ${needs} is not: ${why}`,
  )
  const warnings: string[] = []
  for (const { prefix, head, off } of FEATURES) {
    if (isGiven(head)) continue
    for (const key of keys.filter((each) => each.startsWith(prefix) && isGiven(each))) {
      // A key with a default (smtp_port) may stand in a template that serves servers with and without the feature.
      const list = isOptional(settings[key]) ? issues : warnings
      list.push(`${key} is set but ${head} is not: ${off}`)
    }
  }
  return { issues, warnings: [...warnings, ...risks(config, isGiven)] }
}

/** Settings that work but surprise. */
function risks(config: Config, isGiven: (key: Key) => boolean): readonly string[] {
  const found: readonly (readonly [boolean, string])[] = [
    [
      isGiven('smtp_host') && !isGiven('base_url'),
      'smtp_host is set but base_url is not: mails need the public address for their links, so none is sent',
    ],
    [
      config.registration === 'invite' && !isGiven('smtp_host'),
      'registration is "invite" but smtp_host is not set: an administrator must activate each new account',
    ],
    [
      config.smtpSecurity === 'none' && isGiven('smtp_user'),
      'smtp_security is "none" but smtp_user is set: the password crosses the network in clear text',
    ],
    [
      isGiven('smtp_host') && config.smtpPort === 465 && config.smtpSecurity === 'starttls',
      'smtp_port is 465 but smtp_security is "starttls": port 465 usually needs "tls"',
    ],
    [
      isGiven('smtp_host') && config.smtpPort === 587 && config.smtpSecurity === 'tls',
      'smtp_security is "tls" but smtp_port is 587: port 587 usually needs "starttls"',
    ],
    [
      config.oidcIssuer?.startsWith('http:') === true && config.oidcClientSecret !== undefined,
      'oidc_issuer is plain http: the client secret crosses the network in clear text',
    ],
    [
      isGiven('oidc_groups_claim') && isGiven('oidc_issuer') && !isGiven('oidc_admin_group'),
      'oidc_groups_claim is set but oidc_admin_group is not: groups have no effect',
    ],
    [
      config.baseUrl?.origin.startsWith('https:') === true && config.trustedProxies.length === 0,
      'base_url is https, so a proxy stands in front, but trusted_proxies is empty: all visitors look like one address and share one rate limit',
    ],
    [
      config.trustedProxies.some(isEverything),
      'trusted_proxies holds every address: anyone can claim to be anyone with X-Forwarded-For',
    ],
    [
      config.feedAllowPrivate.some(isEverything),
      'feed_allow_private holds every address: users can make the server read anything it reaches',
    ],
  ]
  return found.filter(([applies]) => applies).map(([, warning]) => warning)
}

function isEverything(network: string): boolean {
  return network.endsWith('/0')
}
