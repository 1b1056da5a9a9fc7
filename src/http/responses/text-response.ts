/** A text as the handlers make it. What is sent of it is decided at the end, when its length and the client are looked at. */
export class TextResponse extends Response {
  /** The body if it is there as a whole; undefined for one that is made while it is sent. */
  readonly whole: string | undefined
  readonly contentType: string

  constructor(body: string | ReadableStream<Uint8Array>, contentType: string) {
    super(body, { headers: { 'content-type': contentType } })
    this.contentType = contentType
    this.whole = typeof body === 'string' ? body : undefined
  }
}
