export interface StepPart {
  /** `screen` is what the app shows, `address` the place for the server's address. */
  readonly kind: 'text' | 'screen' | 'address'
  readonly text: string
}

/** Takes a step apart: `*Settings*` is written on the screen, `{address}` is a place. */
export function stepParts(step: string): readonly StepPart[] {
  return step
    .split(/(\*[^*]+\*|\{address\})/)
    .filter((text) => text !== '')
    .map((text) => {
      if (text === '{address}') return { kind: 'address', text: '' }
      return text.startsWith('*') ? { kind: 'screen', text: text.slice(1, -1) } : { kind: 'text', text }
    })
}
