/** Finds the name a person probably meant: undefined when nothing is near enough to be worth saying. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = plain(word)
  const limit = wanted.length <= 4 ? 1 : wanted.length <= 8 ? 2 : 3
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue
    const candidateDistance = distance(wanted, plain(candidate))
    if (candidateDistance < bestDistance) {
      best = candidate
      bestDistance = candidateDistance
    }
  }
  return best
}

/** Spelling habits of other programs (dataDir, data-dir, DATA_DIR) are not typing errors: bring them to one form first. */
function plain(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase()
}

/** Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace, and swap of neighbours cost one each. */
export function distance(a: string, b: string): number {
  let rowBefore: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaceCost = a[i - 1] === b[j - 1] ? 0 : 1
      const costs = [cell(row, j) + 1, cell(next, j - 1) + 1, cell(row, j - 1) + replaceCost]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) costs.push(cell(rowBefore, j - 2) + 1)
      next.push(Math.min(...costs))
    }
    rowBefore = row
    row = next
  }
  return cell(row, b.length)
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
