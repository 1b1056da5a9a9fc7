import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { parseMail, type ReceivedMail, type TestSmtpServer } from '../../support/smtp.ts'
import { settle } from './watch.ts'

/** A well-formed token that was never mailed. */
export const UNKNOWN_TOKEN = 'c1b1a6a0-4f2f-4a4e-9d0e-9a3a7d1f0b52'

/** The settings of a server with this mail server. */
export function mailSettings({ host, port }: TestSmtpServer): Record<string, string> {
  return {
    SVC_SMTP_HOST: host,
    SVC_SMTP_PORT: String(port),
    SVC_SMTP_SECURITY: 'none',
    SVC_SMTP_FROM: 'Podcasts <podcasts@home.example>',
  }
}

/** The address with a token that an email contains. */
export function linkIn({ raw }: ReceivedMail): string {
  const [link] = /http:\S+#token=\S+/.exec(parseMail(raw).text) ?? []
  if (link === undefined) throw new Error(`a mail without a link: ${raw}`)
  return link
}

/** Opens a mailed link like a click in an email, from a page that shows something else. */
export async function follow(page: Page, link: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(link)
  await settle(page)
}

/** Makes all links expire that a server with this data folder has sent. */
export function expireLinks(dataFolder: string): void {
  const db = new Database(join(dataFolder, 'podstep.db'))
  db.run('PRAGMA busy_timeout = 5000')
  db.run('UPDATE tokens SET expires_at = unixepoch()')
  db.close()
}
