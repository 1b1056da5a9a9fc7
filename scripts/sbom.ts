import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ComponentType } from '@cyclonedx/cyclonedx-library/Enums'
import { Bom, Component, LicenseExpression } from '@cyclonedx/cyclonedx-library/Models'
import { JSON as CycloneDxJson, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import project from '../package.json'
import { ENTRY_POINTS } from './build.ts'

/**
 * Makes the bill of materials of the executable in CycloneDX: the packages with bundled code, and the runtime. Packages
 * that are installed but not bundled are not listed, since they are not in the executable.
 */

const ROOT = join(import.meta.dir, '..')

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly description?: string
}

/** Returns JSON, which is stable for the same sources. */
export async function writeSbom(): Promise<string> {
  const application = componentOf(project, ComponentType.Application)
  const bom = new Bom()
  bom.metadata.component = application
  for (const part of [runtime(), ...(await bundledPackages())]) {
    bom.components.add(part)
    application.dependencies.add(part.bomRef)
  }
  const serializer = new JsonSerializer(new CycloneDxJson.Normalize.Factory(Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

function runtime(): Component {
  return componentOf(packageIn('node_modules/bun'), ComponentType.Platform)
}

async function bundledPackages(): Promise<readonly Component[]> {
  const { metafile } = await Bun.build({
    entrypoints: ENTRY_POINTS.map((path) => join(ROOT, path)),
    root: ROOT,
    target: 'bun',
    metafile: true,
  })
  if (!metafile) throw new Error('the bundler returned no list of bundled files')
  const folders = Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  )
  return [...new Set(folders)].map((folder) => componentOf(packageIn(folder), ComponentType.Library))
}

function packageIn(folder: string): Package {
  const found: Package = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
  if (typeof found.license !== 'string') throw new Error(`${folder}/package.json names no license`)
  return found
}

function componentOf({ name, version, license, description }: Package, type: ComponentType): Component {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const component = new Component(type, bare ?? name, {
    bomRef: purl,
    purl,
    version,
    ...(scope !== undefined && { group: scope }),
    ...(description !== undefined && { description }),
  })
  component.licenses.add(new LicenseExpression(license))
  return component
}
