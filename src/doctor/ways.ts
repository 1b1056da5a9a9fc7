import { printValue } from '../config/describe.ts'
import { type Config, envName, type Key, settings } from '../config/options.ts'
import type { Check, Finding, FindingCode, SettingLine } from '../domain/server/doctor.ts'

const MAIL = ['smtp_host', 'smtp_port', 'smtp_security', 'smtp_user', 'smtp_password', 'smtp_from'] as const
const SIGN_ON = ['oidc_issuer', 'oidc_client_id', 'oidc_client_secret'] as const
const ADDRESS = [['base_url']] as const
const PROXIES = [['trusted_proxies']] as const
const CERTIFICATE = [['tls_cert', 'tls_key']] as const

/** Settings that fix a finding: one list for each way to do it. */
const WAYS: Partial<Record<FindingCode, readonly (readonly Key[])[]>> = {
  folder_no_folder: [['data_dir']],
  backup_off: [['backup_keep']],
  postgres_unusable: [['database']],
  feed_worker_off: [['outbound']],
  base_url_none: ADDRESS,
  base_url_unreachable: ADDRESS,
  base_url_redirects: ADDRESS,
  base_url_wrong: ADDRESS,
  base_url_elsewhere: ADDRESS,
  proxy_not_believed: PROXIES,
  proxy_peer_not_believed: PROXIES,
  certificate_unusable: CERTIFICATE,
  mail_none: [['smtp_host', 'smtp_user', 'smtp_password', 'smtp_from', 'base_url']],
  mail_partly: [['smtp_from', 'base_url']],
  mail_failed: [MAIL],
  mail_unsent: [MAIL],
  sso_none: [[...SIGN_ON, 'base_url']],
  sso_failed: [SIGN_ON],
  directory_none: [['directory'], ['directory_key', 'directory_secret']],
  directory_off: [['outbound']],
  directory_failed: [['directory_key', 'directory_secret']],
}

/** Suggested values other than the default or the example. */
const VALUES: Partial<Record<Key, unknown>> = { directory: 'apple', outbound: 'on' }

type Current = Pick<Config, 'trustedProxies' | 'directory'>

export function waysOf({ code, values }: Finding, current: Current): readonly (readonly SettingLine[])[] {
  // The keys belong to another directory.
  if (code === 'directory_failed' && current.directory === 'apple') return []
  return (WAYS[code] ?? []).map((keys) => keys.map((key) => lineOf(key, chosenValue(key, values, current))))
}

function chosenValue(key: Key, { target, peer }: Finding['values'], { trustedProxies }: Current): unknown {
  if (key === 'base_url' && target !== undefined) return target
  if (key === 'trusted_proxies') return [...trustedProxies, peer ?? '192.0.2.10']
  const { example, fallback } = settings[key]
  return VALUES[key] ?? example ?? fallback
}

function lineOf(key: Key, value: unknown): SettingLine {
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return { key, variable: envName(key), toml: printValue(value), text }
}

/** Adds the settings that fix a finding to the findings of a check. */
export function withWays(check: Check, current: Current): Check {
  const { glance } = check
  const add = (finding: Finding): Finding => {
    const ways = waysOf(finding, current)
    return ways.length === 0 ? finding : { ...finding, ways }
  }
  return {
    ...check,
    run: async (signal) => add(await check.run(signal)),
    ...(glance && {
      async glance() {
        const finding = await glance()
        return finding && add(finding)
      },
    }),
  }
}
