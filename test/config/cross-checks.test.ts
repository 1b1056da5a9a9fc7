import { describe, expect, test } from 'bun:test'
import { issues, loadWith } from './load-with.ts'

const MAIL = 'smtp_host = "mail.lan"\nsmtp_from = "pods@home.example"\n'
const BASE = 'base_url = "http://pods.lan"\n'
const SSO = `${BASE}oidc_issuer = "https://id.example"\noidc_client_id = "pods"\n`

describe('impossible combinations', () => {
  test.each([
    [`${MAIL}smtp_user = "a"`, 'smtp_user is set but smtp_password is not: the mail server asks for both'],
    [`${MAIL}smtp_password = "a"`, 'smtp_password is set but smtp_user is not: the mail server asks for both'],
    ['smtp_host = "mail.lan"', 'smtp_host is set but smtp_from is not: mails need a sender'],
    ['smtp_from = "a@b.example"', 'smtp_from is set but smtp_host is not: no mail is sent without it'],
    [
      `${BASE}oidc_issuer = "https://id.example"`,
      'oidc_issuer is set but oidc_client_id is not: the provider must know who asks',
    ],
    [
      'oidc_issuer = "https://id.example"\noidc_client_id = "a"',
      'oidc_issuer is set but base_url is not: the provider must know one fixed return address',
    ],
    ['oidc_client_id = "a"', 'oidc_client_id is set but oidc_issuer is not: single sign-on is off without it'],
    ['oidc_client_secret = "a"', 'oidc_client_secret is set but oidc_issuer is not: single sign-on is off without it'],
    ['oidc_admin_group = "a"', 'oidc_admin_group is set but oidc_issuer is not: single sign-on is off without it'],
    ['directory_key = "a"', 'directory_key is set but directory_secret is not: the directory asks for both'],
    ['directory_secret = "a"', 'directory_secret is set but directory_key is not: the directory asks for both'],
  ])('%j', (toml, expected) => expect(issues({ toml })).toEqual([expected]))

  test('a setting that is set wrongly does not also count as missing', () => {
    expect(issues({ toml: `${MAIL}smtp_user = "a"\nsmtp_password = 5` })).toEqual([
      'config.toml:4: smtp_password: expected text on one line, got a whole number',
    ])
  })
  test('the parts may come from different places', () => {
    const loaded = loadWith({ toml: `${BASE}${MAIL}smtp_user = "a"`, env: { SVC_SMTP_PASSWORD: 'b' } })
    expect(loaded.config.smtpPassword?.reveal()).toBe('b')
    expect(loaded.warnings).toEqual([])
  })
})

describe('combinations that work but surprise', () => {
  test.each([
    [MAIL, 'smtp_host is set but base_url is not: mails need the public address for their links, so none is sent'],
    [
      `${BASE}${MAIL}smtp_user = "a"\nsmtp_password = "b"\nsmtp_security = "none"`,
      'smtp_security is "none" but smtp_user is set: the password crosses the network in clear text',
    ],
    [`${BASE}${MAIL}smtp_port = 465`, 'smtp_port is 465 but smtp_security is "starttls": port 465 usually needs "tls"'],
    [
      `${BASE}${MAIL}smtp_security = "tls"`,
      'smtp_security is "tls" but smtp_port is 587: port 587 usually needs "starttls"',
    ],
    ['smtp_port = 25', 'smtp_port is set but smtp_host is not: no mail is sent without it'],
    ['oidc_name = "Harbour ID"', 'oidc_name is set but oidc_issuer is not: single sign-on is off without it'],
    [
      `${SSO}oidc_groups_claim = "roles"`,
      'oidc_groups_claim is set but oidc_admin_group is not: groups have no effect',
    ],
    [
      `${BASE}oidc_issuer = "http://id.lan"\noidc_client_id = "a"\noidc_client_secret = "b"`,
      'oidc_issuer is plain http: the client secret crosses the network in clear text',
    ],
    [
      'registration = "invite"',
      'registration is "invite" but smtp_host is not set: an administrator must activate each new account',
    ],
    [
      'base_url = "https://home.example"',
      'base_url is https, so a proxy stands in front, but trusted_proxies is empty: all visitors look like one address and share one rate limit',
    ],
    [
      'trusted_proxies = ["0.0.0.0/0"]',
      'trusted_proxies holds every address: anyone can claim to be anyone with X-Forwarded-For',
    ],
    [
      'feed_allow_private = ["::/0"]',
      'feed_allow_private holds every address: users can make the server read anything it reaches',
    ],
  ])('%j', (toml, expected) => expect(loadWith({ toml }).warnings).toEqual([expected]))

  test.each([
    ['mail', BASE + MAIL],
    ['mail without encryption and without credentials', `${BASE}${MAIL}smtp_security = "none"\nsmtp_port = 25`],
    ['single sign-on', SSO],
    ['the directory', 'directory_key = "a"\ndirectory_secret = "b"'],
    ['a proxy', 'base_url = "https://home.example"\ntrusted_proxies = ["10.0.0.1"]'],
  ])('%s done right is silent', (_, toml) => expect(loadWith({ toml }).warnings).toEqual([]))
})
