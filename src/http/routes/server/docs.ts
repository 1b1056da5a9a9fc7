import { Elysia } from 'elysia'
import type { Route } from '../../endpoint.ts'
import { docsPage } from '../../openapi/docs/page.ts'
import { openApiDocument } from '../../openapi/document.ts'
import { allowCaching, pageHeaders } from '../../responses/caching.ts'
import { TextResponse } from '../../responses/text-response.ts'

export function docsRoutes(
  routes: readonly Route[],
  basePath: string,
  version: string,
  isHttps: (request: Request) => boolean,
) {
  let json: string | undefined
  let page: { readonly html: string; readonly csp: string } | undefined
  const document = () => openApiDocument(routes, basePath, version)
  return new Elysia()
    .get('/openapi.json', ({ set }) => {
      json ??= JSON.stringify(document())
      allowCaching(set)
      return new TextResponse(json, 'application/json')
    })
    .get('/docs', ({ set, request }) => {
      page ??= docsPage(document())
      allowCaching(set)
      Object.assign(set.headers, pageHeaders(isHttps(request)), {
        'content-security-policy': page.csp,
        'referrer-policy': 'no-referrer',
      })
      return new TextResponse(page.html, 'text/html; charset=utf-8')
    })
}
