import type { ServerCheck } from '../../store/account/server-checks.ts'

export const FORMS = ['file', 'environment', 'container'] as const
export type Form = (typeof FORMS)[number]

type SettingLine = ServerCheck['ways'][number][number]

/** Formats settings for config.toml, environment files or a compose file. `address` replaces the example `base_url`. */
export function settingLines(lines: readonly SettingLine[], form: Form, address?: string): string {
  const own = lines.map((line) => {
    const text = line.key === 'base_url' ? (address ?? line.text) : line.text
    return { ...line, text, toml: line.key === 'base_url' ? JSON.stringify(text) : line.toml }
  })
  if (form === 'file') return own.map(({ key, toml }) => `${key} = ${toml}`).join('\n')
  if (form === 'environment') return own.map(({ variable, text }) => `${variable}=${quoted(text)}`).join('\n')
  return ['environment:', ...own.map(({ variable, text }) => `  ${variable}: ${JSON.stringify(text)}`)].join('\n')
}

/** Quotes text only if a shell or systemd requires it, because Docker would treat quotes as part of the value. */
function quoted(text: string): string {
  return /^[\w.,:/@+-]*$/.test(text) ? text : JSON.stringify(text)
}

/**
 * Returns the address of `page` with the placeholder `host`, for pages opened at an address that works only on this
 * computer.
 */
export function exampleAddress(page: string, host: string): string {
  const url = new URL(page)
  url.hostname = host
  return url.href
}
