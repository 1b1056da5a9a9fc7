export type Fact = readonly [name: string, value: string]

/** A definition list. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl class="definition">
      {rows.map(([name, value]) => (
        <div class="definition-row" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
