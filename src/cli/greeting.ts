export interface Greeting {
  readonly version: string
  /** URL of the server on this machine; `base_url` if it is set. */
  readonly address: string
  /** URLs for other machines; empty if they cannot connect, or use the same URL. */
  readonly elsewhere: readonly string[]
  readonly data: string
  readonly settingsFile: string | undefined
  readonly isFirstRun: boolean
}

/** Text shown when a server is started at a terminal. */
export function greeting({ version, address, elsewhere, data, settingsFile, isFirstRun }: Greeting): string {
  const facts = [
    ['In your browser', address],
    ...elsewhere.map((other, n) => [n === 0 ? 'On other devices' : '', other]),
    ['Data', data],
    ['Settings', settingsFile ?? 'none, so the defaults are in effect'],
  ]
  return [
    `podstep ${version} is ready.`,
    '',
    ...facts.map(([name = '', value]) => `  ${name.padEnd(18)}${value}`),
    '',
    ...(isFirstRun
      ? ['There is no account yet. Open the address and create the first one: it becomes the administrator.']
      : []),
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}
