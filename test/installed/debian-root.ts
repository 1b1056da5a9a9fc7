import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PATIENCE_MS } from '../support/eventually.ts'

/** Debian in a folder, booted with its own systemd: what happens in it happens to no file of this machine. */

const SUITE = 'bookworm'
/** What the unit of the trial is like; a folder that an older one was built into is not used. */
const REVISION = 1
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'podstep')
const ROOT = join(CACHE, `debian-${SUITE}-${REVISION}`)

/** Runs what the test has put into the folder, and then the machine ends. */
const TRIAL = `[Service]
Type=oneshot
ExecStart=/bin/sh /trial/run
StandardOutput=file:/trial/out
StandardError=file:/trial/err
ExecStopPost=/bin/systemctl exit --no-block
`

/** Why no such machine can be had here; undefined if it can. Takes half a minute the first time, which makes the folder. */
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
 * Boots the machine without a network, with `folder` at `/trial`, until the shell script `run` in it has ended. Changes outside
 * of `/trial` are discarded.
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
