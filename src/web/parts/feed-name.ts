/** What a podcast is called: until the feed has said so, where it is; host and path, for people to read. */
export function feedName({ title, url }: { readonly title: string; readonly url: string }): string {
  return isNameless({ title, url }) ? placeOf(url) : title
}

/** Whether nobody knows yet what the podcast is called. Its name as we make it is none either. */
export function isNameless({ title, url }: { readonly title: string; readonly url: string }): boolean {
  return title === '' || title === url || title === placeOf(url)
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return `${host.replace(/^www\./, '')}${readable(pathname).replace(/\/$/, '')}`
}

function readable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    // A percent sign that encodes nothing.
    return path
  }
}
