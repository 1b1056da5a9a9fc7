import { expect, test } from 'bun:test'
import { issues, loadWith } from './load-with.ts'

const HEADER = 'proxy_user_header = "Remote-User"\n'

test('the header with the user cannot be one that has another meaning', () => {
  for (const name of ['Remote User', 'Remote:User', 'Cookie', 'authorization', 'X-Forwarded-For'])
    expect(issues({ toml: `proxy_user_header = "${name}"` })).toEqual([
      'config.toml:1: proxy_user_header: expected the name of a header of its own, such as Remote-User',
    ])
  expect(loadWith({ toml: `${HEADER}trusted_proxies = ["127.0.0.1"]` }).config.proxyUserHeader).toBe('Remote-User')
})

test('a header without trusted proxies is a warning', () => {
  const warning = 'proxy_user_header is set but trusted_proxies is empty: the header is never believed'
  expect(loadWith({ toml: HEADER }).warnings).toEqual([warning])
  expect(loadWith({ toml: `${HEADER}trusted_proxies = ["127.0.0.1"]` }).warnings).toEqual([])
  expect(loadWith({ toml: `${HEADER}listen = "unix:/run/pods.sock"` }).warnings).toEqual([])
})

test('a header that anyone may send is refused', () => {
  for (const network of ['0.0.0.0/0', '::/0'])
    expect(issues({ toml: `${HEADER}trusted_proxies = ["${network}"]` })).toEqual([
      'proxy_user_header is set and trusted_proxies holds every address: anyone could sign in as anyone',
    ])
})

test('the proxy and a provider cannot both sign users in', () => {
  const sso = 'base_url = "https://a.example"\noidc_issuer = "https://id.example"\noidc_client_id = "a"\n'
  expect(issues({ toml: `${HEADER}trusted_proxies = ["127.0.0.1"]\n${sso}` })).toEqual([
    'proxy_user_header and oidc_issuer are both set: either the proxy signs users in or the provider does',
  ])
})
