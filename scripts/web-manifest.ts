import { COLORS } from '../src/brand.ts'

interface Texts {
  readonly home: { readonly add: string }
  readonly common: { readonly nav: { readonly inbox?: string; readonly discover: string; readonly listening: string } }
}

/** Files of the icons, and how to draw each. */
export const ICONS = {
  'icon-192.png': { size: 192, isRounded: true, markWidth: 0.66 },
  'icon-512.png': { size: 512, isRounded: true, markWidth: 0.66 },
  'icon-maskable-512.png': { size: 512, isRounded: false, markWidth: 0.5 },
  'apple-touch-icon.png': { size: 180, isRounded: false, markWidth: 0.62 },
} as const

/**
 * Makes the manifest with which systems install the web client, for one language. All addresses are relative to the
 * manifest, so that it works below a sub-path.
 */
export function manifestFor(language: string, { common, home }: Texts): string {
  const shortcuts = [
    ['inbox', common.nav.inbox],
    ['discover', common.nav.discover],
    ['listening', common.nav.listening],
    ['add', home.add],
  ].filter(([, name]) => name !== undefined)
  return JSON.stringify({
    name: 'podstep',
    short_name: 'podstep',
    lang: language,
    dir: 'ltr',
    start_url: './',
    scope: './',
    display: 'standalone',
    background_color: COLORS.ground[0],
    theme_color: COLORS.ground[0],
    icons: [
      { src: 'icon.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' },
      { src: 'icon-192.png', type: 'image/png', sizes: '192x192', purpose: 'any' },
      { src: 'icon-512.png', type: 'image/png', sizes: '512x512', purpose: 'any' },
      { src: 'icon-maskable-512.png', type: 'image/png', sizes: '512x512', purpose: 'maskable' },
    ],
    shortcuts: shortcuts.map(([url, name]) => ({ name, url })),
    share_target: {
      action: 'add',
      method: 'GET',
      enctype: 'application/x-www-form-urlencoded',
      params: { title: 'title', text: 'text', url: 'url' },
    },
    // Web applications may not register `feed:` itself.
    protocol_handlers: ['web+feed', 'web+podcast'].map((protocol) => ({ protocol, url: 'add?url=%s' })),
  })
}
