import { expect, test } from 'bun:test'
import { CommandError, isSystemError, usageError } from '../../src/cli/io.ts'

test.each([
  ['a refused port', Object.assign(new Error('in use'), { code: 'EADDRINUSE' }), true],
  ['a database that cannot be opened', Object.assign(new Error('no'), { code: 'SQLITE_CANTOPEN' }), true],
  ['a mistake of the program', new TypeError('x is not a function'), false],
  ['an error of Bun itself', Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }), true],
  ['what is no error', 'EACCES', false],
])('the words of %s are shown without a stack: %p, %p', (_, error, expected) => {
  expect(isSystemError(error)).toBe(expected)
})

test('wrong words on the command line end with 2, other reasons with 1', () => {
  expect(usageError('unknown option --prot')).toMatchObject({ name: 'CommandError', exitCode: 2 })
  expect(new CommandError('the port is in use').exitCode).toBe(1)
})
