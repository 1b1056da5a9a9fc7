/** A sentence of ours around words of the server, which are English, in the place of `{cause}`. */
export function ServerWords({ text, cause }: { readonly text: string; readonly cause: string }) {
  const [before, after] = text.split('{cause}')
  return (
    <>
      {before}
      <bdi lang="en">{cause}</bdi>
      {after}
    </>
  )
}
