import HOSTILE from './hostile-html.json'

/** Texts that try to run something, as they may stand in a feed, a list or a caption. */
export const VECTORS: readonly string[] = Object.values(HOSTILE)
  .flat()
  // XML cannot hold the other characters.
  .map((text) => text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, ' '))
