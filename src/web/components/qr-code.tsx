import { useQuery } from '../hooks/use-query.ts'

interface QrCodeProps {
  /** What a camera reads. */
  readonly text: string
  /** The same for screen readers. */
  readonly label: string
  readonly hint: string
}

/**
 * A QR code, dark on light in every theme. The encoder is loaded afterwards, with the pages of podcasts, which most
 * browsers have by then: it is too light for a file of its own.
 */
export function QrCode({ text, label, hint }: QrCodeProps) {
  const { data } = useQuery(async () => {
    const { qrPath } = await import('../pages/chunks/podcasts.ts')
    return qrPath(text)
  }, [text])
  const code = data.value
  return (
    <figure class="qr">
      <div class="qr-frame">
        {code && (
          <svg viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label} shape-rendering="crispEdges">
            <path d={code.path} />
          </svg>
        )}
      </div>
      <figcaption class="muted small">{hint}</figcaption>
    </figure>
  )
}
