import { expect, test } from 'bun:test'
import { hasHelp, helpText } from '../../src/cli/help.ts'

test('each command has a text of its own, and all have one together', () => {
  expect([hasHelp('backup'), hasHelp('constructor')]).toEqual([true, false])
  expect(helpText('backup')).toStartWith('Usage: podstep backup')
  expect(helpText()).toMatch(/^\s*backup\b/m)
})
