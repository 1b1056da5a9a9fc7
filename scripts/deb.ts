import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { version as projectVersion } from '../package.json'
import { helpText } from '../src/cli/help.ts'
import { writeSbom } from './sbom.ts'

/**
 * Packs an executable in `dist/` as a Debian package: `dist/podstep_0.1.0-1_amd64.deb`.
 *
 *   bun scripts/deb.ts              every executable that `bun run build:all` has built for Debian
 *   bun scripts/deb.ts arm64        one architecture
 *
 * Reproducible: the same executable and commit give the same bytes. Needs dpkg-deb, in other systems' package "dpkg".
 */

const ROOT = join(import.meta.dir, '..')
const DIST = join(ROOT, 'dist')

/** Executables by Debian's name of the architecture. */
export const EXECUTABLES = { amd64: 'podstep-linux-x64', arm64: 'podstep-linux-arm64' } as const

export type Architecture = keyof typeof EXECUTABLES

interface DebOptions {
  readonly architecture: Architecture
  readonly executable: string
  /** Path of the bill of materials. */
  readonly sbom: string
  /** Output folder. */
  readonly folder: string
  readonly version?: string
  /** Value for `dpkg-deb -Z`: xz is small, none is fast. */
  readonly compression?: 'xz' | 'none'
}

/** Returns the path of the package. */
export function packDeb(options: DebOptions): string {
  const { architecture, executable, sbom, folder, compression = 'xz' } = options
  const dpkgDeb = Bun.which('dpkg-deb')
  if (dpkgDeb === null) throw new Error('dpkg-deb is missing: install the package "dpkg" of this system')
  const debianVersion = `${options.version ?? projectVersion}-1`
  const commitTime = timeOfCommit()
  const tree = mkdtempSync(join(tmpdir(), 'podstep-deb-'))
  try {
    const sums: string[] = []
    let kibibytes = 0
    const add = (path: string, content: string | Uint8Array | { readonly copy: string }, mode = 0o644) => {
      const file = join(tree, path)
      // Folders of a package must be readable by all, regardless of the umask.
      mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
      if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(file, content)
      else copyFileSync(content.copy, file)
      chmodSync(file, mode)
      if (path.startsWith('DEBIAN/')) return
      kibibytes += Math.ceil(statSync(file).size / 1024)
      sums.push(`${createHash('md5').update(readFileSync(file)).digest('hex')}  ${path}\n`)
    }

    const own = (name: string) => readFileSync(join(ROOT, 'deploy/debian', name), 'utf8')
    const docs = 'usr/share/doc/podstep'
    const maintainer = maintainerOf(process.env)
    add('usr/bin/podstep', { copy: executable }, 0o755)
    add('usr/lib/systemd/system/podstep.service', unitOfPackage())
    add('usr/lib/sysusers.d/podstep.conf', own('sysusers.conf'))
    add('etc/podstep/config.toml', own('config.toml'), 0o640)
    add('usr/share/man/man1/podstep.1.gz', packed(manual(commitTime)))
    add('usr/share/lintian/overrides/podstep', own('lintian-overrides'))
    add(`${docs}/config.example.toml`, readFileSync(join(ROOT, 'config.example.toml')))
    add(`${docs}/copyright`, copyright(own('copyright')))
    add(`${docs}/changelog.gz`, packed(readFileSync(join(ROOT, 'CHANGELOG.md'))))
    add(`${docs}/changelog.Debian.gz`, packed(changelog(debianVersion, maintainer, commitTime)))
    add(`${docs}/sbom.cdx.json`, sbom)

    const control = own('control')
      .replace('@VERSION@', debianVersion)
      .replace('@ARCHITECTURE@', architecture)
      .replace('@MAINTAINER@', maintainer)
      .replace('@SIZE@', String(kibibytes))
    add('DEBIAN/control', control)
    add('DEBIAN/conffiles', '/etc/podstep/config.toml\n')
    add('DEBIAN/md5sums', sums.join(''))
    for (const script of ['postinst', 'prerm', 'postrm']) add(`DEBIAN/${script}`, own(script), 0o755)
    for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
    chmodSync(tree, 0o755)

    const target = join(folder, `podstep_${debianVersion}_${architecture}.deb`)
    const { exitCode, stderr } = Bun.spawnSync(
      [dpkgDeb, '--root-owner-group', `-Z${compression}`, '--build', tree, target],
      // dpkg-deb limits the times of files to this one.
      { env: { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: String(commitTime) } },
    )
    if (exitCode !== 0) throw new Error(`dpkg-deb fails: ${stderr}`)
    return target
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** Returns the unit for manual installation, adapted to the package. */
function unitOfPackage(): string {
  return readFileSync(join(ROOT, 'deploy/podstep.service'), 'utf8')
    .replace('[Unit]\n', '[Unit]\nDocumentation=man:podstep(1)\n')
    .replaceAll('/usr/local/bin/', '/usr/bin/')
}

/** Unix time of the commit, for reproducible packages. An archive of the sources has to set SOURCE_DATE_EPOCH. */
export function timeOfCommit(): number {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  const text = epoch ?? Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: ROOT }).stdout.toString().trim()
  if (!/^\d+$/.test(text)) throw new Error('the time of the commit is not known: set SOURCE_DATE_EPOCH to its seconds')
  return Number(text)
}

/** Reads the variables that Debian's own tools use. */
function maintainerOf(env: Readonly<Record<string, string | undefined>>): string {
  return `${env['DEBFULLNAME'] ?? 'The podstep developers'} <${env['DEBEMAIL'] ?? 'podstep@localhost'}>`
}

function packed(content: string | Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 })
}

function copyright(template: string): string {
  const lines = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim().split('\n')
  const holder = lines.find((line) => line.startsWith('Copyright')) ?? ''
  const text = lines.slice(lines.indexOf(holder) + 2).map((line) => ` ${line || '.'}`)
  return template.replace('@COPYRIGHT@', holder.replace(' (c)', ':')).replace('@LICENSE@', text.join('\n'))
}

function changelog(version: string, maintainer: string, time: number): string {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000')
  return `podstep (${version}) stable; urgency=medium\n\n  * What has changed is in changelog.gz.\n\n -- ${maintainer}  ${date}\n`
}

/** Makes the manual page from `podstep help` and `podstep help COMMAND`. */
function manual(time: number): string {
  const names = [...helpText().matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = '']) => name)
  const sections = names.flatMap((name) => [`.SS ${name}`, ...verbatim(helpText(name))])
  return [
    `.TH PODSTEP 1 "${new Date(time * 1000).toISOString().slice(0, 10)}" "podstep ${projectVersion}"`,
    '.SH NAME',
    'podstep \\- podcast subscription sync server',
    '.SH SYNOPSIS',
    '.B podstep',
    '[COMMAND] [OPTIONS]',
    '.SH DESCRIPTION',
    ...verbatim(helpText()),
    '.SH COMMANDS',
    ...sections,
    '.SH FILES',
    '.I /etc/podstep/config.toml',
    '',
  ].join('\n')
}

/** Escapes text for a manual page, where dashes, backslashes and leading dots are special. */
function verbatim(text: string): readonly string[] {
  const lines = text.trim().split('\n')
  return [
    '.nf',
    ...lines.map((line) => line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&')),
    '.fi',
  ]
}

/** Packs the executables in `dist/` into `folder`; throws if one is missing. */
export function packDebs(architectures: readonly Architecture[], sbom: string, folder: string): readonly string[] {
  return architectures.map((architecture) => {
    const executable = join(DIST, EXECUTABLES[architecture])
    if (!existsSync(executable)) throw new Error(`${executable} is missing: run "bun run build:all" first`)
    return packDeb({ architecture, executable, sbom, folder })
  })
}

const isArchitecture = (text: string): text is Architecture => Object.hasOwn(EXECUTABLES, text)

if (import.meta.main) {
  const words = process.argv.slice(2)
  const unknown = words.filter((word) => !isArchitecture(word))
  if (unknown.length > 0) {
    process.stderr.write(`unknown architecture ${unknown.join(', ')}; known: ${Object.keys(EXECUTABLES).join(', ')}\n`)
    process.exit(2)
  }
  const architectures = words.length > 0 ? words : Object.keys(EXECUTABLES)
  for (const path of packDebs(architectures.filter(isArchitecture), await writeSbom(), DIST))
    process.stdout.write(`${path}\n`)
}
