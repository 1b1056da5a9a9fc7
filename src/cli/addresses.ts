import type { NetworkInterfaceInfo } from 'node:os'
import type { Io } from './io.ts'

interface Listening {
  readonly url?: URL
  readonly port: number | undefined
}

export function connectableHost(host: string): string {
  return isEverywhere(host) ? 'localhost' : host
}

export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

export function addressesElsewhere(
  host: string,
  io: Pick<Io, 'interfaces' | 'isInContainer'>,
  server: Listening,
): string[] {
  const hosts = isEverywhere(host) ? addressesOf(io.interfaces(), io.isInContainer) : isLoopback(host) ? [] : [host]
  return hosts.map((each) => addressOf(each, server))
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

export function addressOf(host: string, { port, url }: Listening): string {
  return `${url?.protocol ?? 'http:'}//${host.includes(':') ? `[${host}]` : host}:${port}`
}

const WITHIN = /^(?:br-|cni|docker|flannel|lxc|lxd|veth|virbr)/

/** Addresses at which other machines reach this one. A container usually has none that a phone can reach. */
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
