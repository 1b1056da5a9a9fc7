import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasHelp, helpText } from '../../src/cli/help.ts'

test('each command has a help text, and one text lists them all', () => {
  expect([hasHelp('backup'), hasHelp('constructor')]).toEqual([true, false])
  expect(helpText('backup')).toStartWith('Usage: podstep backup')
  expect(helpText()).toMatch(/^\s*backup\b/m)
})

test('README.md lists the same commands in the same order', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text()
  const listed = [...readme.matchAll(/^podstep \[?([a-z-]+)\]?(?: …| test …)?(?:$| {2,})/gm)].map(([, name]) => name)
  expect(listed).toEqual([...helpText().matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name))
})
