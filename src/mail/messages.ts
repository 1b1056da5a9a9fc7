import type { Mail } from '../domain/accounts/mail.ts'
import { type Html, html } from '../formats/html.ts'

export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What a mail asks its reader to do. */
interface Wording {
  readonly subject: string
  readonly greeting: string
  readonly reason: string
  readonly link: { readonly label: string; readonly href: string } | undefined
  readonly small: string
}

/**
 * Subject, text and HTML of a mail. Links begin with `baseUrl` and nothing a request could bring, and carry the token
 * behind `#`, which browsers send to no server.
 */
export function messageOf(mail: Mail, baseUrl: string): Message {
  const { subject, ...wording } = wordingOf(mail, baseUrl)
  return { subject, text: plain(wording, baseUrl), html: marked(wording, baseUrl).html }
}

function wordingOf(mail: Mail, baseUrl: string): Wording {
  switch (mail.kind) {
    case 'activation':
      return {
        subject: 'Activate your podstep account',
        greeting: `Hello ${mail.username},`,
        reason: 'somebody, hopefully you, has created an account with this address. One step is left:',
        link: { label: 'Activate the account', href: `${baseUrl}/activate#token=${mail.token}` },
        small:
          'The link works once, within 48 hours. If that was not you, ignore this email; the account stays inactive.',
      }
    case 'password_reset':
      return {
        subject: 'Choose a new podstep password',
        greeting: `Hello ${mail.username},`,
        reason: 'somebody, hopefully you, wants a new password for your account:',
        link: { label: 'Choose a new password', href: `${baseUrl}/reset-password#token=${mail.token}` },
        small:
          'The link works once, within 24 hours, and signs you out everywhere. If you did not ask for it, ignore this email; your password stays as it is.',
      }
    case 'test':
      return {
        subject: 'podstep can send email',
        greeting: 'Hello,',
        reason: 'this is the test email that an administrator asked for. If you can read it, sending email works.',
        link: undefined,
        small: 'There is nothing to do.',
      }
  }
}

type Body = Omit<Wording, 'subject'>

function plain({ greeting, reason, link, small }: Body, baseUrl: string): string {
  const parts = [greeting, reason, link?.href, small, `-- \npodstep, ${baseUrl}`]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

/** No style sheet, no picture, nothing to load: mail programs differ, and a mail should not tell that it was read. */
function marked({ greeting, reason, link, small }: Body, baseUrl: string): Html {
  return html`<!doctype html>
<html lang="en">
<body>
<p>${greeting}</p>
<p>${reason}</p>
${link && html`<p><a href="${link.href}">${link.label}</a></p>\n<p>Or copy this address into your browser:<br>${link.href}</p>\n`}<p>${small}</p>
<p>podstep, <a href="${baseUrl}/">${baseUrl}</a></p>
</body>
</html>
`
}
