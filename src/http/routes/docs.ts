import { Elysia } from 'elysia'
import { allowCaching } from '../caching.ts'
import { docsPage } from '../docs-page.ts'
import { type DescribedRoute, openApiDocument } from '../openapi.ts'

/** The API's description for machines and for people, made once from the routes themselves. */
export function docsRoutes(routes: () => readonly DescribedRoute[], basePath: string, version: string) {
  let json: string | undefined
  let page: { readonly html: string; readonly csp: string } | undefined
  const document = () => openApiDocument(routes(), basePath, version)
  return new Elysia()
    .get('/openapi.json', ({ set }) => {
      json ??= JSON.stringify(document())
      allowCaching(set)
      return new Response(json, { headers: { 'content-type': 'application/json' } })
    })
    .get('/docs', ({ set }) => {
      page ??= docsPage(document())
      allowCaching(set)
      return new Response(page.html, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': page.csp,
          'referrer-policy': 'no-referrer',
        },
      })
    })
}
