import type { NetworkInterfaceInfo } from 'node:os'

export interface Greeting {
  readonly version: string
  /** What to type on this machine, or where the settings say that the server is. */
  readonly address: string
  /** What to type on other machines; none if they cannot reach it, or by the same address. */
  readonly elsewhere: readonly string[]
  readonly dataDir: string
  readonly settingsFile: string | undefined
  readonly isFirstRun: boolean
}

/** What a person needs to know of a server that has just been started at a terminal. */
export function greeting({ version, address, elsewhere, dataDir, settingsFile, isFirstRun }: Greeting): string {
  const facts = [
    ['In your browser', address],
    ...elsewhere.map((other, n) => [n === 0 ? 'On other devices' : '', other]),
    ['Data', dataDir],
    ['Settings', settingsFile ?? 'none, so the defaults are in effect'],
  ]
  return [
    `podstep ${version} is ready.`,
    '',
    ...facts.map(([name = '', value]) => `  ${name.padEnd(18)}${value}`),
    '',
    ...(isFirstRun
      ? ['There is no account yet. Open the address and make the first one: it is the administrator.']
      : []),
    'Stop with Ctrl-C.',
    '',
  ].join('\n')
}

/** Networks between containers and virtual machines, where no phone is. */
const WITHIN = /^(?:br-|cni|docker|flannel|lxc|lxd|veth|virbr)/

/**
 * The addresses by which other machines reach a server that listens on all of them. A container with a single network has
 * one between containers, where no phone is; one that shares the networks of its host has several.
 */
export function addressesOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
  isInContainer = false,
): string[] {
  const isBridged = isInContainer && Object.values(interfaces).filter((all) => all?.some(isOutward)).length === 1
  if (isBridged) return []
  return Object.entries(interfaces)
    .filter(([name]) => !WITHIN.test(name))
    .flatMap(([, all = []]) => all)
    .filter(isOutward)
    .map(({ address }) => address)
}

function isOutward({ family, internal, address }: NetworkInterfaceInfo): boolean {
  return family === 'IPv4' && !internal && !address.startsWith('169.254.')
}
