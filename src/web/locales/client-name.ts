import { t } from './index.ts'

/** Matches the server's English name of a browser: `Firefox on Linux`. Names of apps do not match. */
const BROWSER = /^(.+) on (.+)$/

/** Translates the server's name of a client; '' if unknown. */
export function clientName(client: string): string {
  const [, browser, system] = BROWSER.exec(client) ?? []
  return browser && system ? t('common.clientOn', { browser, system }) : client
}

export function isBrowser(client: string): boolean {
  return BROWSER.test(client)
}

/** Whether a client runs on a phone or tablet. */
export function isMobile(client: string): boolean {
  return /Android|iPhone|iPad|AntennaPod/.test(client)
}
