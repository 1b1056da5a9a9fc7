export interface CutLink extends Disposable {
  /** This machine's address on the link. */
  readonly address: string
  /** Runs a program on the other side of the link, which reaches only this machine. */
  readonly prefix: readonly string[]
  /** Drops all packets in both directions without closing a connection, like a machine that loses power. */
  cut(): void
  mend(): void
}

/** Creates a network namespace with a link to it; `undefined` without root, `ip`, or the permission. */
export function createLink(): CutLink | undefined {
  const name = `podstep${process.pid}`
  const [near, far] = [`pod${process.pid}a`, `pod${process.pid}b`]
  const network = `198.18.${(process.pid >> 6) & 255}`
  const host = (process.pid & 63) * 4
  const address = `${network}.${host + 1}`
  const prefix = ['ip', 'netns', 'exec', name]
  const remove = () => void ip('netns', 'del', name)

  if (Bun.which('ip') === null || !ip('netns', 'add', name)) return undefined
  const isReady = [
    () => ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far),
    () => ip('link', 'set', far, 'netns', name),
    () => ip('addr', 'add', `${address}/30`, 'dev', near),
    () => ip('link', 'set', near, 'up'),
    () => ip('-n', name, 'addr', 'add', `${network}.${host + 2}/30`, 'dev', far),
    () => ip('-n', name, 'link', 'set', far, 'up'),
    () => ip('-n', name, 'link', 'set', 'lo', 'up'),
  ].every((step) => step())
  if (!isReady) {
    remove()
    return undefined
  }
  return {
    address,
    prefix,
    cut: () => void ip('link', 'set', near, 'down'),
    mend: () => void ip('link', 'set', near, 'up'),
    [Symbol.dispose]: remove,
  }
}

function ip(...args: readonly string[]): boolean {
  return Bun.spawnSync(['ip', ...args], { stderr: 'ignore' }).success
}
