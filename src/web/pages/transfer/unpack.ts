/** The file, decompressed to at most `max` bytes if it is a gzip file; or the key of the text for an error. */
export async function unpack(file: Blob, max: number): Promise<Blob | 'tooBig' | 'unreadable'> {
  const [one, two] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (one !== 0x1f || two !== 0x8b) return file
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
    for (;;) {
      const { value } = await reader.read()
      if (!value) return new Blob(pieces)
      size += value.length
      if (size > max) {
        await reader.cancel()
        return 'tooBig'
      }
      pieces.push(new Uint8Array(value))
    }
  } catch {
    // The file is damaged.
    return 'unreadable'
  }
}
