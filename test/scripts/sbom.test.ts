import { expect, test } from 'bun:test'
import { dependencies, devDependencies, version } from '../../package.json'
import { writeSbom } from '../../scripts/sbom.ts'

interface Component {
  readonly type: string
  readonly purl: string
  readonly licenses: readonly { readonly expression: string }[]
}

interface Bill {
  readonly bomFormat: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const purlOf = ([name, release]: readonly [string, string]) => `pkg:npm/${name.replace('@', '%40')}@${release}`

test('the bill of materials lists exactly the packages in the executable and the runtime, with licenses', async () => {
  const text = await writeSbom()
  expect(await writeSbom()).toBe(text)
  const bill: Bill = JSON.parse(text)
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { purl: `pkg:npm/podstep@${version}` } },
  })
  const listed = bill.components.map(({ purl }) => purl)
  const wanted = Object.entries({ ...dependencies, bun: devDependencies.bun }).map(purlOf)
  expect(wanted.filter((purl) => !listed.includes(purl))).toEqual([])
  const { bun: _runtime, ...tools } = devDependencies
  expect(listed.filter((purl) => Object.entries(tools).map(purlOf).includes(purl))).toEqual([])
  expect(bill.components.filter(({ licenses }) => !licenses[0]?.expression)).toEqual([])
  expect(bill.components.find(({ type }) => type === 'platform')?.purl).toBe(purlOf(['bun', devDependencies.bun]))
  // Each version of a package has an entry.
  expect(listed.filter((purl) => purl.startsWith('pkg:npm/entities@')).length).toBeGreaterThan(1)
  expect(bill.dependencies.find(({ ref }) => ref === `pkg:npm/podstep@${version}`)?.dependsOn).toHaveLength(
    listed.length,
  )
})
