import { expect, test } from 'bun:test'
import { CommandError, isSystemError, usageError } from '../../src/cli/io.ts'

test.each([
  ['a refused port', Object.assign(new Error('in use'), { code: 'EADDRINUSE' }), true],
  ['a database that cannot be opened', Object.assign(new Error('no'), { code: 'SQLITE_CANTOPEN' }), true],
  ['an error of the program', new TypeError('x is not a function'), false],
  ['an error of Bun', Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }), true],
  ['a value that is no error', 'EACCES', false],
])('whether %s is shown without a stack: %p, %p', (_, error, expected) => {
  expect(isSystemError(error)).toBe(expected)
})

test('wrong arguments exit with 2, other errors with 1', () => {
  expect(usageError('unknown option --prot')).toMatchObject({ name: 'CommandError', exitCode: 2 })
  expect(new CommandError('the port is in use').exitCode).toBe(1)
})
