import { useMemo } from 'preact/hooks'
import { qrPath } from './qr-path.ts'

interface QrCodeProps {
  /** Content of the code. */
  readonly text: string
  /** Description for screen readers. */
  readonly label: string
  readonly hint: string
}

/** QR code, dark on light in every theme. */
export function QrCode({ text, label, hint }: QrCodeProps) {
  const { size, path } = useMemo(() => qrPath(text), [text])
  return (
    <figure class="qr stack-small">
      <div class="qr-frame">
        <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
          <path d={path} />
        </svg>
      </div>
      <figcaption class="muted small">{hint}</figcaption>
    </figure>
  )
}
