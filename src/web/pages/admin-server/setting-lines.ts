import type { ServerCheck } from '../../store/account/server-checks.ts'

export const FORMS = ['file', 'environment', 'container'] as const
export type Form = (typeof FORMS)[number]

type SettingLine = ServerCheck['ways'][number][number]

/** Settings as config.toml, environment files or a compose file have them; `address` stands for the example of it. */
export function settingLines(lines: readonly SettingLine[], form: Form, address?: string): string {
  const own = lines.map((line) => {
    const text = line.key === 'base_url' ? (address ?? line.text) : line.text
    return { ...line, text, toml: line.key === 'base_url' ? JSON.stringify(text) : line.toml }
  })
  if (form === 'file') return own.map(({ key, toml }) => `${key} = ${toml}`).join('\n')
  if (form === 'environment') return own.map(({ variable, text }) => `${variable}=${quoted(text)}`).join('\n')
  return ['environment:', ...own.map(({ variable, text }) => `  ${variable}: ${JSON.stringify(text)}`)].join('\n')
}

/** In quotes only where a shell or systemd needs them, which Docker would take for a part of the value. */
function quoted(text: string): string {
  return /^[\w.,:/@+-]*$/.test(text) ? text : JSON.stringify(text)
}

/**
 * An address to fill in, for a page of which only the address for this computer is known: it has a name for `host` that
 * tells what to put there.
 */
export function exampleAddress(page: string, host: string): string {
  const url = new URL(page)
  url.hostname = host
  return url.href
}
