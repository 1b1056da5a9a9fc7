import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { version } from '../../package.json'
import { packDeb } from '../../scripts/deb.ts'
import { requireBinary } from '../binary/support/binary.ts'
import { emptyFolder } from '../binary/support/folder.ts'
import { bootDebian, whyNoDebian } from './debian-root.ts'

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const
const architecture = process.arch === 'arm64' ? ARCHITECTURES.arm64 : ARCHITECTURES.x64

function pack(folder: string, release: string = version): string {
  mkdirSync(folder, { recursive: true })
  return packDeb({
    architecture,
    executable: requireBinary(),
    sbom: '{}\n',
    folder,
    version: release,
    compression: 'none',
  })
}

describe.skipIf(Bun.which('dpkg-deb') === null)('the package', () => {
  test('is built reproducibly', async () => {
    using folder = emptyFolder()
    const [one, other] = [pack(`${folder.path}/one`), pack(`${folder.path}/other`)].map((path) => Bun.file(path))
    const hash = async (file?: Bun.BunFile) => Bun.hash((await file?.arrayBuffer()) ?? '')
    expect(await hash(one)).toBe(await hash(other))
  })

  test('has files owned by root, settings that dpkg keeps, and the right version of the C library', () => {
    using folder = emptyFolder()
    const path = pack(folder.path)
    const ask = (...args: string[]) => Bun.spawnSync(['dpkg-deb', ...args]).stdout.toString()
    expect(ask('--contents', path)).not.toMatch(/^\S+ (?!root\/root )/m)
    expect(ask('--info', path, 'conffiles')).toBe('/etc/podstep/config.toml\n')
    // The newest version among the symbols of the C library that the executable uses.
    const symbols = readFileSync(requireBinary(), 'latin1').match(/GLIBC_2\.\d+/g) ?? []
    const newest = Math.max(...symbols.map((symbol) => Number(symbol.replace('GLIBC_2.', ''))))
    expect(ask('--field', path, 'Depends')).toStartWith(`libc6 (>= 2.${newest}),`)
  })
})

/** Prints "name value" for each fact that the test compares. */
const RUN = `
fact() { name=$1; shift; echo "$name $*"; }
as_podstep() { runuser -u podstep -- "$@"; }
healthy() {
  for _ in $(seq 300); do as_podstep podstep healthcheck >/dev/null 2>&1 && echo yes && return; sleep 0.1; done
  echo no
}
state() { systemctl is-active podstep; systemctl is-enabled podstep; }
process() { systemctl show --property=MainPID --value podstep; }
users() { as_podstep podstep user list 2>&1 | grep -c '^ida'; }

dpkg --install /trial/old/*.deb
fact installed $(state) $(healthy)
fact user $(getent passwd podstep | cut -d : -f 6,7)
fact data $(stat -c '%U:%G %a' /var/lib/podstep)
fact settings $(stat -c '%U:%G %a' /etc/podstep/config.toml)
fact doctor $(as_podstep podstep doctor --json | grep -o '"ok": *[a-z]*' | head -n 1)
echo seaglass | as_podstep podstep user create ida
echo '# mine' >>/etc/podstep/config.toml
before=$(process)

dpkg --install /trial/new/*.deb
fact upgraded $(state) $(healthy) $(as_podstep podstep version)
fact restarted $([ "$before" != "$(process)" ] && echo yes)
fact kept $(grep -c '^# mine' /etc/podstep/config.toml) $(users)

systemctl --quiet disable --now podstep
dpkg --install /trial/new/*.deb
fact disabled $(state)

dpkg --remove podstep
fact removed $(ls /usr/bin/podstep /usr/lib/systemd/system/podstep.service 2>/dev/null | wc -l) $(ls /var/lib/podstep/*.db | wc -l) $(grep -c '^# mine' /etc/podstep/config.toml)

dpkg --install /trial/new/*.deb
systemctl --quiet enable --now podstep
fact again $(state) $(healthy) $(users)

dpkg --purge podstep
fact purged $(systemctl is-active podstep) $(ls -d /var/lib/podstep /etc/podstep /etc/systemd/system/multi-user.target.wants/podstep.service 2>/dev/null | wc -l) $(getent passwd podstep | wc -l)
`

const reason = whyNoDebian()
if (reason) process.stderr.write(`skipped the test of the Debian package in Debian: ${reason}\n`)

describe.skipIf(reason !== undefined)('in Debian', () => {
  test('the package is installed, started, upgraded, removed and purged', async () => {
    using folder = emptyFolder()
    pack(`${folder.path}/old`, '0.0.1')
    pack(`${folder.path}/new`)
    folder.file('run', RUN)
    const console = await bootDebian(folder.path)
    const out = folder.file('out')
    // Written first, so it is missing only if Debian did not boot.
    if (!existsSync(out)) {
      process.stderr.write(
        `skipped: the Debian package is not installed in a Debian, which does not boot here:\n${console}\n`,
      )
      return
    }
    const facts = Object.fromEntries(
      readFileSync(out, 'utf8')
        .split('\n')
        .filter((line) => /^[a-z]+ /.test(line))
        .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
    )
    expect({ ...facts, err: readFileSync(folder.file('err'), 'utf8') }).toMatchObject({
      installed: 'active enabled yes',
      user: '/var/lib/podstep:/usr/sbin/nologin',
      data: 'podstep:podstep 700',
      settings: 'root:podstep 640',
      doctor: '"ok": true',
      upgraded: `active enabled yes podstep ${version}`,
      restarted: 'yes',
      kept: '1 1',
      disabled: 'inactive disabled',
      removed: '0 1 1',
      again: 'active enabled yes 1',
      purged: 'inactive 0 1',
    })
  })
})
