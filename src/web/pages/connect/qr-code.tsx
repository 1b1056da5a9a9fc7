import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'

/** A QR code of the address, dark on light in every theme. The encoder is a module of its own that is loaded afterwards. */
export function QrCode({ address }: { address: string }) {
  const { data } = useQuery(async () => {
    const { qrPath } = await import('./qr-path.ts')
    return qrPath(address)
  }, [address])
  const code = data.value
  return (
    <figure class="qr">
      <div class="qr-frame">
        {code && (
          <svg
            viewBox={`0 0 ${code.size} ${code.size}`}
            role="img"
            aria-label={t('connect.qr', { address })}
            shape-rendering="crispEdges"
          >
            <path d={code.path} />
          </svg>
        )}
      </div>
      <figcaption class="muted small">{t('connect.qrHint')}</figcaption>
    </figure>
  )
}
