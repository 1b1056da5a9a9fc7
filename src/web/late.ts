import { withTexts } from './locales/index.ts'

/** The path of the styles that the first pages do without, which the build puts in (scripts/build-web.ts). */
declare const LATE_STYLE: string

/** Loading these styles; undefined until a page needs them, and again when it has failed. */
let styles: Promise<void> | undefined

/** What comes with texts and styles that the first pages do without, all of which are there before it is shown. */
export async function withLate<T>(module: Promise<T>): Promise<T> {
  styles ??= loadStyles()
  const [loaded] = await Promise.all([withTexts(module), styles])
  return loaded
}

/** The document of such a page has them already, without which browsers paint nothing. */
async function loadStyles(): Promise<void> {
  const given = document.querySelector<HTMLLinkElement>(`link[href="${LATE_STYLE}"]`)
  if (given?.sheet) return
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = LATE_STYLE
  try {
    await new Promise((resolve, reject) => {
      link.onload = resolve
      link.onerror = () => reject(new Error('the styles of this page cannot be loaded'))
      document.head.append(link)
    })
  } catch (error) {
    link.remove()
    styles = undefined
    throw error
  }
}
