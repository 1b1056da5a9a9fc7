import { t } from './index.ts'

/** A browser as the server names it, in English: `Firefox on Linux`. Apps have a name of their own. */
const BROWSER = /^(.+) on (.+)$/

/** What to call a client of which the server says what it is; '' where it cannot tell. */
export function clientName(client: string): string {
  const [, browser, system] = BROWSER.exec(client) ?? []
  return browser && system ? t('common.clientOn', { browser, system }) : client
}

/** Whether it is a browser and not an app. */
export function isBrowser(client: string): boolean {
  return BROWSER.test(client)
}

/** Whether it is a browser or an app on a phone or a tablet. */
export function isMobile(client: string): boolean {
  return /Android|iPhone|iPad|AntennaPod/.test(client)
}
