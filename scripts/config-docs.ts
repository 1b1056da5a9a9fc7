import { printValue } from '../src/config/describe.ts'
import { groups, isKey, type Key, type Setting, settings } from '../src/config/options.ts'

const HEADER = `# Settings of podstep.
#
# Copy this file to config.toml in the working directory or to /etc/podstep/config.toml, or name it with --config or
# SVC_CONFIG. Each setting is commented out and shows its default, or an example if it has none. Settings are flat keys,
# not tables; unknown keys are refused.
#
# Each setting can also be given in the environment as SVC_ and its name in upper case (SVC_PORT=9000), which overrides
# this file. In the environment, lists are separated by commas, and true, false, on, off, 1 and 0 are understood. Each
# secret can also be read from a file: SVC_SMTP_PASSWORD_FILE=/run/secrets/smtp. "podstep check-config" shows the
# settings in effect.
`

const LINE_WIDTH = 120

/** Text of `config.example.toml`. Documentation starts with "# ", settings with "#" alone, to be easy to uncomment. */
export function exampleToml(): string {
  const sections = groups.map(({ title, keys: members }) => {
    const entries = members.filter(isKey).map(exampleEntry)
    return `\n# --- ${title} ---\n\n${entries.join('\n')}`
  })
  return HEADER + sections.join('')
}

function exampleEntry(key: Key): string {
  const setting: Setting<unknown> = settings[key]
  const notes = [
    setting.doc,
    setting.parser.values === undefined ? '' : `Values: ${setting.parser.values}.`,
    setting.fallbackText === undefined ? '' : `Default: ${setting.fallbackText}.`,
    setting.fallback === undefined && setting.fallbackText === undefined ? 'Not set by default.' : '',
  ]
  const words = notes.filter((note) => note !== '').join(' ')
  const value = setting.fallback === undefined ? JSON.stringify(setting.example) : printValue(setting.fallback)
  return `${wrap(words, '# ')}\n#${key} = ${value}\n`
}

/** Table of all settings in Markdown, for `docs/configuration.md`. */
export function settingsTable(): string {
  const rows = groups.flatMap(({ title, keys: members }) => [
    `| **${title}** | | |`,
    ...members.filter(isKey).map(tableRow),
  ])
  return `| Key | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`
}

function tableRow(key: Key): string {
  const setting: Setting<unknown> = settings[key]
  const value = setting.fallback === undefined ? '-' : `\`${printValue(setting.fallback)}\``
  const secret = setting.parser.name === 'secret' ? ' Secret.' : ''
  const values = setting.parser.values === undefined ? '' : ` Values: ${setting.parser.values}.`
  return `| \`${key}\` | ${setting.fallbackText ?? value} | ${setting.doc}${values}${secret} |`
}

const BEGIN = '<!-- settings:begin -->'
const END = '<!-- settings:end -->'

/** Updates the settings table in `document`; `undefined` if the document has no markers for one. */
export function withSettingsTable(document: string): string | undefined {
  const begin = document.indexOf(BEGIN)
  const end = document.indexOf(END)
  if (begin < 0 || end < begin) return undefined
  return `${document.slice(0, begin + BEGIN.length)}\n\n${settingsTable()}\n${document.slice(end)}`
}

function wrap(text: string, prefix: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && prefix.length + line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(prefix + line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, prefix + line].join('\n')
}
