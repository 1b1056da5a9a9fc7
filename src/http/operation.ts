/** What the API description says about a route beyond its schemas. */
export interface Operation {
  readonly summary: string
  readonly description?: string
  readonly tags: string[]
  /** Path as people write it: a suffix is part of Elysia's last parameter, which cannot show it. */
  readonly 'x-path': string
  /** Content types of request and answer where they are not JSON alone. */
  readonly 'x-media'?: { readonly request?: string; readonly response?: string }
}

export function operation(tag: string, path: string, summary: string, more: Partial<Operation> = {}): Operation {
  return { summary, tags: [tag], 'x-path': path, ...more }
}

export function isOperation(detail: unknown): detail is Operation {
  return typeof detail === 'object' && detail !== null && 'x-path' in detail
}
