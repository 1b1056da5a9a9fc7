import { describe, expect, test } from 'bun:test'
import { failureMessage } from '../../src/sso/failure-message.ts'

const failed = (code: string, message = 'getaddrinfo failed') => Object.assign(new TypeError(message), { code })

describe('a failure that has nothing to do with signing in is told in plain words, with its code:', () => {
  test.each([
    ['ENOTFOUND', 'the name of the provider cannot be resolved'],
    ['EAI_AGAIN', 'the name of the provider cannot be resolved'],
    ['ECONNREFUSED', 'cannot connect to the provider: nothing answers at its address'],
    ['EHOSTUNREACH', 'cannot connect to the provider: no way leads to its address'],
    ['ENETUNREACH', 'cannot connect to the provider: no way leads to its address'],
    ['ECONNRESET', 'the connection to the provider broke off'],
    ['EPROTO', 'what answers at the address of the provider does not encrypt'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate of the provider is not trusted'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate of the provider is not trusted'],
    ['CERT_HAS_EXPIRED', 'the certificate of the provider is not trusted'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate of the provider is not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate of the provider is not trusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the provider is not trusted'],
    ['HOSTNAME_MISMATCH', 'the certificate of the provider is not trusted'],
    ['EOTHER', 'getaddrinfo failed'],
  ])('%s', (code, words) => expect(failureMessage(failed(code))).toBe(`${words} (${code})`))
})

test('other failures are told in their own words, in so far as there are any', () => {
  expect(failureMessage(new DOMException('too late', 'TimeoutError'))).toBe('the provider takes too long to answer')
  expect(failureMessage(new SyntaxError('Unexpected <'))).toBe(
    'the answer of the provider cannot be read: Unexpected <',
  )
  expect(failureMessage(new Error('x'.repeat(900)))).toBe('x'.repeat(200))
  expect(failureMessage('broken')).toBe('unknown cause')
})
