import type { Answer } from '../../api/client.ts'
import { isWeb, SafeLink } from '../../parts/safe-link.tsx'
import { language, t } from '../../text/index.ts'

/** Where it is at home, and which language it speaks. */
export function Facts({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const texts = t().podcast
  const hasWebsite = isWeb(podcast.website)
  if (!hasWebsite && podcast.language === '') return null
  return (
    <dl class="podcast-facts small">
      {hasWebsite && (
        <div>
          <dt>{texts.website}</dt>
          <dd>
            <SafeLink url={podcast.website}>{new URL(podcast.website).host}</SafeLink>
          </dd>
        </div>
      )}
      {podcast.language !== '' && (
        <div>
          <dt>{texts.language}</dt>
          <dd>{nameOf(podcast.language)}</dd>
        </div>
      )}
    </dl>
  )
}

function nameOf(code: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(code) ?? code
  } catch {
    // Feeds write all kinds of things there.
    return code
  }
}
