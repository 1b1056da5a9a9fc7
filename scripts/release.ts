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
 * Makes everything of a release in `dist/release`: an executable for each target, the Debian packages, the bill of
 * materials and SHA256SUMS; and the templates of home servers, if it is told where they will find the rest.
 *
 *   bun run release
 *   bun run release --url https://files.home.example/podstep/0.1.0 --image registry.home.example/podstep
 *
 * docs/releasing.md says what comes before and after.
 */

const ROOT = join(import.meta.dir, '..')
const DIST = join(ROOT, 'dist')
const RELEASE = join(DIST, 'release')

/** What the templates in `deploy/` have instead of where things are, and of the sums of executables. */
const PLACEHOLDERS = {
  site: 'https://podstep.example',
  url: `https://podstep.example/releases/${version}`,
  image: `podstep:${version}`,
  sums: { amd64: '0'.repeat(64), arm64: 'a'.repeat(64) },
}

/** In which folder of `deploy/` the template of each home server is. */
export const TEMPLATES = ['casaos', 'umbrel', 'unraid', 'yunohost']

/** What the templates show, and which files of the web client these are. */
const ICONS = new Map([
  ['icon.svg', 'icon.svg'],
  ['icon-512.png', 'icon.png'],
])

interface Places {
  /** Where the files of this release can be downloaded. */
  readonly url: string
  /** The image, without its tag. */
  readonly image: string
}

async function release(places: Places | undefined): Promise<void> {
  const changes = run(['git', 'status', '--porcelain'])
  if (changes) throw new Error(`a release is made of a commit, but these files are not committed:\n${changes}`)
  rmSync(RELEASE, { recursive: true, force: true })
  await runBuild(['all'])
  // What fails leaves no folder that looks like a release.
  const making = mkdtempSync(join(DIST, 'release-'))
  chmodSync(making, 0o755)
  try {
    for (const name of RELEASED) linkSync(join(DIST, name), join(making, name))
    const sbom = await writeSbom()
    writeFileSync(join(making, `podstep-${version}.cdx.json`), sbom)
    packDebs(['amd64', 'arm64'], sbom, making)
    if (places) await packTemplates(places, making)
    else say('without the templates: they need --url and --image')
    const names = readdirSync(making).sort((one, other) => (one < other ? -1 : 1))
    const sums = await Promise.all(names.map(async (name) => `${await sha256(join(making, name))}  ${name}\n`))
    writeFileSync(join(making, 'SHA256SUMS'), sums.join(''))
    checkRelease(making)
    renameSync(making, RELEASE)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  say(`${RELEASE}:\n${readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8')}`)
}

/** A file of a template with the places in it, and with the sums of the executables by architecture. */
export function fillTemplate(
  text: string,
  { url, image }: Places,
  sums: Readonly<Record<Architecture, string>>,
): string {
  return text
    .replaceAll(PLACEHOLDERS.url, url)
    .replaceAll(PLACEHOLDERS.site, url)
    .replaceAll(PLACEHOLDERS.image, `${image}:${version}`)
    .replaceAll(PLACEHOLDERS.sums.amd64, sums.amd64)
    .replaceAll(PLACEHOLDERS.sums.arm64, sums.arm64)
}

/** The templates with the places in them, as `podstep-templates-VERSION.tar.gz`. */
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

/** Tries what can be tried on this machine; throws if something is wrong. */
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
  else say('lintian is not installed: the Debian packages are not checked by it')
}

function run(command: string[], cwd = ROOT): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd })
  if (exitCode !== 0) throw new Error(`${command[0]} fails:\n${stdout}${stderr}`)
  return stdout.toString().trim()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { url: { type: 'string' }, image: { type: 'string' } } })
  const { url, image } = values
  if ((url === undefined) !== (image === undefined)) throw new Error('the templates need both --url and --image')
  await release(url !== undefined && image !== undefined ? { url: url.replace(/\/$/, ''), image } : undefined)
}

if (import.meta.main) main().catch(fail)
