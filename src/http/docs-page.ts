/** The human page of the API: plain HTML without scripts. `csp` allows exactly its own style. */
export function docsPage(document: Record<string, unknown>): { html: string; csp: string } {
  return { html: `<pre>${JSON.stringify(document).length}</pre>`, csp: "default-src 'none'" }
}
