import type { Mail } from '../domain/accounts/mail.ts'
import type { Language } from '../domain/shared/languages.ts'
import { type Html, html } from '../formats/html.ts'
import texts from './texts.json'

export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Body extends Omit<Wording, 'subject'> {
  readonly link: { readonly label: string; readonly href: string } | undefined
  readonly copy: string
}

const PAGES = { activation: 'activate', password_reset: 'reset-password' } as const

/** Returns subject, text and HTML of a mail. Links carry the token after `#`, which browsers do not send to servers. */
export function messageOf(mail: Mail, baseUrl: string): Message {
  const { kinds, copy } = TEXTS[mail.language]
  const { subject, greeting, reason, small } = kinds[mail.kind]
  const isTest = mail.kind === 'test'
  const body: Body = {
    greeting: isTest ? greeting : greeting.replace('{name}', () => mail.username),
    reason,
    link: isTest
      ? undefined
      : { label: kinds[mail.kind].label, href: `${baseUrl}/${PAGES[mail.kind]}#token=${mail.token}` },
    copy,
    small,
  }
  return { subject, text: plain(body, baseUrl), html: marked(body, mail.language, baseUrl).html }
}

function plain({ greeting, reason, link, small }: Body, baseUrl: string): string {
  const parts = [greeting, reason, link?.href, small, `-- \npodstep, ${baseUrl}`]
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`
}

/** HTML without style sheets and external content: mail programs differ, and a mail must not report being read. */
function marked({ greeting, reason, link, copy, small }: Body, language: string, baseUrl: string): Html {
  return html`<!doctype html>
<html lang="${language}">
<body>
<p>${greeting}</p>
<p>${reason}</p>
${link && html`<p><a href="${link.href}">${link.label}</a></p>\n<p>${copy}<br>${link.href}</p>\n`}<p>${small}</p>
<p>podstep, <a href="${baseUrl}/">${baseUrl}</a></p>
</body>
</html>
`
}

/** Texts of a mail. `{name}` in the greeting is the user name. */
interface Wording {
  readonly subject: string
  readonly greeting: string
  readonly reason: string
  readonly small: string
}

interface LinkWording extends Wording {
  /** Text of the link. */
  readonly label: string
}

interface Texts {
  readonly kinds: Readonly<Record<keyof typeof PAGES, LinkWording> & Record<'test', Wording>>
  /** Text before the address of the link, for mail programs that do not open links. */
  readonly copy: string
}

const TEXTS: Readonly<Record<Language, Texts>> = texts
