import { describe, expect, test } from 'bun:test'
import { localPath } from '../../src/domain/accounts/single-sign-on.ts'

/** Where a browser goes that is told to by a page of this server. */
const hostOf = (path: string) => new URL(path, 'http://podstep.example/').host

describe('return_to', () => {
  test.each([
    ['/'],
    ['/ok'],
    ['/ok?x=1#y'],
    ['/ok?next=https://evil.example'],
    ['/a/b.c/-_~!$&()*+,;=:@'],
    ['/%2F%2Fevil.example'],
    ['/%5Cevil.example'],
    ['/ok//evil.example'],
    ['/@evil.example'],
    ['/:80/'],
    ['/...'],
    [`/${'a'.repeat(299)}`],
  ])('%s is a path of this server', (path) => {
    expect(localPath(path)).toBe(path)
    expect(hostOf(path)).toBe('podstep.example')
  })

  test.each([
    ['/..', '/'],
    ['/../..', '/'],
    ['/../other', '/other'],
    ['/ok/../../other', '/other'],
    ['/%2e%2E/other', '/other'],
    ['/./ok/.', '/ok/'],
    ['/ok?x=/../..', '/ok?x=/../..'],
  ])('%s leads out of no folder: it is %s', (given, path) => {
    expect(localPath(given)).toBe(path)
  })

  test.each<[given: string | undefined]>([
    [undefined],
    [''],
    ['ok'],
    ['?x=1'],
    ['#y'],
    ['.'],
    ['..'],
    ['@evil.example'],
    ['//'],
    ['//evil.example'],
    ['///evil.example'],
    ['/.//evil.example'],
    ['/..//evil.example'],
    ['/ok/..//evil.example'],
    ['/%2e//evil.example'],
    ['/\\evil.example'],
    ['\\\\evil.example'],
    ['\\/evil.example'],
    ['/ok\\..\\x'],
    ['/\t/evil.example'],
    ['/\n/evil.example'],
    ['\t//evil.example'],
    [' //evil.example'],
    [' /ok'],
    ['/o k'],
    ['/ok\r\nset-cookie: x=y'],
    ['/ok\u0000'],
    ['/ok\u007f'],
    ['/ö'],
    ['/\u2028'],
    ['/／evil.example'],
    ['http:ok'],
    ['http://localhost/ok'],
    ['http://podstep.example/ok'],
    ['https://evil.example/'],
    ['https:evil.example'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    [`/${'a'.repeat(300)}`],
  ])('%j leads to the start', (given) => {
    expect(localPath(given)).toBe('/')
  })
})
