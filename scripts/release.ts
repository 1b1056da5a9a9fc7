import {
  chmodSync,
  cpSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../package.json'
import { fail, RELEASED, runBuild, sha256 } from './build.ts'
import { buildWeb } from './build-web.ts'
import { type Architecture, EXECUTABLES, packDebs, timeOfCommit } from './deb.ts'
import { writeSbom } from './sbom.ts'

/**
 * Builds a release in `dist/release`: an executable for each target, the Debian packages, the bill of materials and
 * SHA256SUMS; with `--url` and `--image`, also the templates for home servers.
 *
 *   bun run release
 *   bun run release --url https://files.home.example/podstep/0.1.0 --image registry.home.example/podstep
 *
 * `--site` is the website of the project that the templates link to; by default, `--url`.
 *
 * The steps before and after are in docs/releasing.md.
 */

const ROOT = join(import.meta.dir, '..')
const DIST = join(ROOT, 'dist')
const RELEASE = join(DIST, 'release')

/** Placeholders for locations and checksums in the templates in `deploy/`. */
const PLACEHOLDERS = {
  site: 'https://podstep.example',
  url: `https://podstep.example/releases/${version}`,
  image: `podstep:${version}`,
  sums: { amd64: '0'.repeat(64), arm64: 'a'.repeat(64) },
}

/** Folders of `deploy/` with the templates of home servers. */
export const TEMPLATES = ['casaos', 'umbrel', 'unraid', 'yunohost']

/** Files of the web client, and their names in the templates. */
const ICONS = new Map([
  ['icon.svg', 'icon.svg'],
  ['icon-512.png', 'icon.png'],
])

interface Places {
  /** URL of the folder with the files of this release. */
  readonly url: string
  /** The image, without its tag. */
  readonly image: string
  /** Website of the project. */
  readonly site: string
}

async function release(places: Places | undefined): Promise<void> {
  const changes = run(['git', 'status', '--porcelain'])
  if (changes) throw new Error(`a release is made of a commit, but these files are not committed:\n${changes}`)
  rmSync(RELEASE, { recursive: true, force: true })
  await runBuild(['all'])
  // A failure must not leave a folder that looks like a release.
  const making = mkdtempSync(join(DIST, 'release-'))
  chmodSync(making, 0o755)
  try {
    for (const name of RELEASED) linkSync(join(DIST, name), join(making, name))
    const sbom = await writeSbom()
    writeFileSync(join(making, `podstep-${version}.cdx.json`), sbom)
    packDebs(['amd64', 'arm64'], sbom, making)
    if (places) await packTemplates(places, making)
    else print('without the templates: they need --url and --image')
    const names = readdirSync(making).sort((one, other) => (one < other ? -1 : 1))
    const sums = await Promise.all(names.map(async (name) => `${await sha256(join(making, name))}  ${name}\n`))
    writeFileSync(join(making, 'SHA256SUMS'), sums.join(''))
    checkRelease(making)
    renameSync(making, RELEASE)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  print(`${RELEASE}:\n${readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8')}`)
}

/** Fills the locations into a file of a template, and the checksums of the executables by architecture. */
export function fillTemplate(
  text: string,
  { url, image, site }: Places,
  sums: Readonly<Record<Architecture, string>>,
): string {
  return text
    .replaceAll(PLACEHOLDERS.url, url)
    .replaceAll(PLACEHOLDERS.site, site)
    .replaceAll(PLACEHOLDERS.image, `${image}:${version}`)
    .replaceAll(PLACEHOLDERS.sums.amd64, sums.amd64)
    .replaceAll(PLACEHOLDERS.sums.arm64, sums.arm64)
}

/** Packs the filled templates as `podstep-templates-VERSION.tar.gz`. */
async function packTemplates(places: Places, folder: string): Promise<void> {
  const tree = mkdtempSync(join(DIST, 'templates-'))
  try {
    for (const name of TEMPLATES) cpSync(join(ROOT, 'deploy', name), join(tree, name), { recursive: true })
    const sums = {
      amd64: await sha256(join(DIST, EXECUTABLES.amd64)),
      arm64: await sha256(join(DIST, EXECUTABLES.arm64)),
    }
    for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      writeFileSync(path, fillTemplate(readFileSync(path, 'utf8'), places, sums))
    }
    for (const { path, raw } of await buildWeb()) {
      const name = ICONS.get(path)
      if (name) writeFileSync(join(folder, name), raw)
    }
    const same = ['--sort=name', `--mtime=@${timeOfCommit()}`, '--owner=0', '--group=0', '--numeric-owner']
    const archive = join(folder, `podstep-templates-${version}.tar.gz`)
    run(['tar', ...same, '--use-compress-program=gzip -n', '-cf', archive, '-C', tree, ...TEMPLATES])
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** Checks the release as far as this machine can; throws if something is wrong. */
function checkRelease(folder: string): void {
  run(['sha256sum', '--check', '--quiet', 'SHA256SUMS'], folder)
  const own = process.platform === 'linux' ? `podstep-linux-${process.arch}` : undefined
  for (const name of RELEASED.filter((path) => path === own)) {
    const answer = run([join(folder, name), 'version'], folder)
    if (answer !== `podstep ${version}`) throw new Error(`${name} is of another version: ${answer}`)
  }
  const packages = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  if (Bun.which('lintian'))
    run(['lintian', '--no-cfg', '--allow-root', '--fail-on', 'error,warning', ...packages], folder)
  else print('lintian is not installed: the Debian packages are not checked by it')
}

function run(command: string[], cwd = ROOT): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd })
  if (exitCode !== 0) throw new Error(`${command[0]} fails:\n${stdout}${stderr}`)
  return stdout.toString().trim()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { url, image, site } = parseArgs({ options: { url: text, image: text, site: text } }).values
  if ((url === undefined) !== (image === undefined)) throw new Error('the templates need both --url and --image')
  if (url === undefined || image === undefined) return release(undefined)
  const folder = url.replace(/\/$/, '')
  await release({ url: folder, image, site: site ?? folder })
}

if (import.meta.main) main().catch(fail)
