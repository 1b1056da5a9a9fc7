import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PATIENCE_MS } from '../support/eventually.ts'

/* Debian in a folder, booted with its own systemd. Does not affect this machine. */

const SUITE = 'bookworm'
/** Change this with `TRIAL`, so that folders with an older unit are not used. */
const REVISION = 1
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'podstep')
const ROOT = join(CACHE, `debian-${SUITE}-${REVISION}`)

/** Runs the script of the test, and then shuts the machine down. */
const TRIAL = `[Service]
Type=oneshot
ExecStart=/bin/sh /trial/run
StandardOutput=file:/trial/out
StandardError=file:/trial/err
ExecStopPost=/bin/systemctl exit --no-block
`

/** Why Debian cannot be booted here; `undefined` if it can. Creates the folder the first time, in half a minute. */
export function whyNoDebian(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start one'
  const missing = ['mmdebstrap', 'systemd-nspawn', 'dpkg-deb'].filter((tool) => Bun.which(tool) === null)
  if (missing.length > 0) return `there is no ${missing.join(' and no ')}`
  return existsSync(ROOT) ? undefined : makeRoot()
}

function makeRoot(): string | undefined {
  const making = `${ROOT}.${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  const { exitCode, stderr } = Bun.spawnSync([
    ...['mmdebstrap', '--variant=essential', '--include=systemd', '--quiet', '--dpkgopt=force-unsafe-io'],
    ...['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
    ...[SUITE, making],
  ])
  if (exitCode !== 0) {
    rmSync(making, { recursive: true, force: true })
    return `mmdebstrap fails: ${stderr.toString().trim().split('\n').at(-1)}`
  }
  const units = join(making, 'etc/systemd/system')
  writeFileSync(join(units, 'trial.service'), TRIAL)
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true })
  symlinkSync('../trial.service', join(units, 'multi-user.target.wants/trial.service'))
  renameSync(making, ROOT)
  return undefined
}

/**
 * Boots the machine without a network, with `folder` at `/trial`, and waits until the shell script `run` in it has ended.
 * Changes outside `/trial` are discarded.
 */
export async function bootDebian(folder: string): Promise<string> {
  const child = Bun.spawn(
    [
      ...['systemd-nspawn', '--quiet', '--register=no', '--keep-unit', '--private-network', '--volatile=overlay'],
      ...[`--directory=${ROOT}`, `--bind=${folder}:/trial`, '--boot'],
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 2 * PATIENCE_MS, killSignal: 'SIGKILL' },
  )
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  return `${out}${err}`
}
