import HOSTILE from './hostile-html.json'

/** Texts that try to run scripts, for feeds, lists and captions. */
export const VECTORS: readonly string[] = Object.values(HOSTILE)
  .flat()
  // Other characters are not allowed in XML.
  .map((text) => text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, ' '))
