import type { Page } from 'playwright-core'
import type { OidcProvider } from '../../support/oidc-provider.ts'

export const PROVIDER_NAME = 'Harbour ID'

/** The settings of a server with this provider. */
export function providerSettings({ settings }: OidcProvider): Record<string, string> {
  const entries = Object.entries(settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, value])
  return { ...Object.fromEntries(entries), SVC_OIDC_NAME: PROVIDER_NAME }
}

/** Goes through the pages of the provider, agrees to everything, and waits for the first page of podstep. */
export async function agree(page: Page, { issuer }: OidcProvider, login: string): Promise<void> {
  await page.waitForURL(`${issuer}/**`)
  await page.locator('input[name="login"]').fill(login)
  await page.locator('input[name="password"]').fill('any')
  await page.locator('button[type="submit"]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL((url) => url.origin !== new URL(issuer).origin)
}
