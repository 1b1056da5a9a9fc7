/**
 * Rewrites of SQLite syntax into PostgreSQL's, applied in order, outside of quotes and comments. `'0'` stands for a quoted
 * text, and `"0"` for a quoted name.
 */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Hints for SQLite's planner: an index, the order of two tables, a comparison without an index.
  [/ INDEXED BY \w+/g, ''],
  [/\bCROSS JOIN (?=\w+(?:\s+\w+)?\s+ON\b)/g, 'JOIN '],
  // Uses both columns of the index. The planner may use only the first and compare all URLs of podcasts that it thinks small.
  [
    /\bJOIN episodes (\w+) ON \1\.podcast_id = ([\w.]+) AND \1\.url = ((?:[a-z]\w*\.)\w+(?: ->> \d+)?)/g,
    'JOIN LATERAL (SELECT * FROM episodes WHERE podcast_id = $2 AND url = $3 OFFSET 0) $1 ON true',
  ],
  [/\+(?=\?)/g, ''],
  // Lists as parameters. `value` is text, and `key` counts from 0. The driver sends the list as text.
  [
    /\bjson_each\((\?\d+)\)( [a-z]\w*)?/g,
    '(SELECT value, n - 1 AS key FROM json_array_elements_text($1::text::json) WITH ORDINALITY AS items (value, n))$2',
  ],
  [/( AS items \(value, n\)\))(?! [a-z])/g, '$1 items'],
  // Members of JSON stored as text: `->` returns JSON (`json_member` is our function), `->>` a value.
  [/([\w.]+) -> ('\d+')/g, 'json_member($1, $2)'],
  [/([\w.]+) ->> (?=\d)/g, '$1::json ->> '],
  [/\bjson_group_array\(([^()]*)\)/g, "COALESCE(json_agg($1), '[]')::text"],
  [/\bjson_array\(([^()]*)\)/g, 'json_build_array($1)::text'],
  // Comparisons in which NULL equals NULL.
  [/\bIS NOT\s+(?!NULL\b|TRUE\b|FALSE\b|DISTINCT\b)/g, 'IS DISTINCT FROM '],
  [/\bIS (?!NOT\b|NULL\b|TRUE\b|FALSE\b|DISTINCT\b)/g, 'IS NOT DISTINCT FROM '],
  // The larger or smaller of two values that are not NULL. Aggregates are in upper case.
  [/\bmax\(/g, 'GREATEST('],
  [/\bmin\(/g, 'LEAST('],
  [/\bIFNULL\(/g, 'COALESCE('],
  [/\binstr\(/g, 'strpos('],
  // SQLite's integers have 64 bits, LIKE ignores the case of ASCII letters, and LIMIT -1 means no limit.
  [/\bAS INTEGER\)/g, 'AS bigint)'],
  [/\bLIKE\b/g, 'ILIKE'],
  [/\bLIMIT -1\b/g, 'LIMIT ALL'],
  // The query builder inserts NULL for a generated ID, and qualifies the columns of a conflict target.
  [/^(insert into "\d+" \("\d+"(?:, "\d+")*\) values \()null\b/g, '$1default'],
  [/(?<=\bon conflict \([^()]*)"\d+"\.(?=")/g, ''],
  // PostgreSQL folds unquoted names to lower case.
  [/\b[a-z]+[A-Z]\w*/g, '"$&"'],
]

/** Quoted texts, quoted names and comments. */
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*/g

/** JSON paths with one member. PostgreSQL's operators take its name; SQLite has an index on the path. */
const JSON_PATH = /(?<= -> ')\$\.(?=\w+')/g

/** Translates a statement for PostgreSQL. The stores otherwise use syntax that both engines share. */
export function toPostgres(sql: string): string {
  const quoted: string[] = []
  const bare = sql.replace(JSON_PATH, '').replace(QUOTED, (text) => {
    if (text.startsWith('--')) return ''
    quoted.push(text)
    return `${text[0]}${quoted.length - 1}${text[0]}`
  })
  const ruled = RULES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), bare)
  return numbered(fenced(ruled)).replace(/(['"])(\d+)\1/g, (_, _quote, index) => quoted[Number(index)] ?? '')
}

/**
 * Makes each EXISTS look up a row by an index, as SQLite does. Without OFFSET, the planner may hash the whole table of the
 * subquery, because it estimates LIMIT ?1 as a tenth of all rows.
 */
function fenced(sql: string): string {
  const [start = '', ...parts] = sql.split('EXISTS (')
  return start + parts.reduceRight((after, part) => `EXISTS (${withOffset(part + after)}`, '')
}

/** Adds OFFSET 0 to the subquery that ends at the first unmatched closing parenthesis. */
function withOffset(text: string): string {
  let depth = 1
  const end = [...text].findIndex((character) => {
    if (character === '(') depth++
    if (character === ')') depth--
    return depth === 0
  })
  return `${text.slice(0, end)} OFFSET 0${text.slice(end)}`
}

/** Numbers the parameters: `?1` becomes `$1`, and each `?` of the query builder the next number. */
function numbered(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number) => `$${number || ++last}`)
}
